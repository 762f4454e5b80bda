package effect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

// corpus is a folder of effects with expected/FILE.json beside them.
type corpus struct {
	dir   string
	files []string // relative, with slashes
}

func openCorpus(t testing.TB, dir string) corpus {
	t.Helper()
	c := corpus{dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(filepath.Ext(path), ".sm_") {
			rel, _ := filepath.Rel(dir, path)
			c.files = append(c.files, filepath.ToSlash(rel))
		}
		return err
	})
	require.NoError(t, err)
	return c
}

// bundled are the copies that every checkout has.
func bundled(t testing.TB) corpus {
	c := openCorpus(t, filepath.Join("..", "..", "testdata", "effects"))
	require.GreaterOrEqual(t, len(c.files), 8)
	return c
}

// corpora adds the whole collection where it stands beside the repository.
func corpora(t testing.TB) []corpus {
	all := []corpus{bundled(t)}
	dir := filepath.Join("..", "..", "..", "shared", "effects")
	if _, err := os.Stat(dir); err == nil {
		c := openCorpus(t, dir)
		require.Len(t, c.files, 60)
		all = append(all, c)
	}
	return all
}

func (c corpus) read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(file)))
	require.NoError(t, err)
	return b
}

func (c corpus) parse(t testing.TB, file string) *effect.Effect {
	t.Helper()
	e, err := effect.Parse(c.read(t, file))
	require.NoError(t, err)
	return e
}

// each runs f for every file of every corpus.
func each(t *testing.T, f func(t *testing.T, c corpus, file string)) {
	for _, c := range corpora(t) {
		for _, file := range c.files {
			t.Run(file, func(t *testing.T) { f(t, c, file) })
		}
	}
}

// missing returns where got lacks something of want: objects may have more keys.
func missing(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: got %T, want an object", path, got)}
		}
		var out []string
		for k, v := range w {
			if path == "" && k == "file" {
				continue
			}
			gv, ok := g[k]
			if !ok {
				out = append(out, path+"."+k+": missing")
				continue
			}
			out = append(out, missing(path+"."+k, v, gv)...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: got %T of %d, want a list of %d", path, got, len(g), len(w))}
		}
		var out []string
		for i := range w {
			out = append(out, missing(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])...)
		}
		return out
	}
	if want != got {
		return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
	}
	return nil
}

func TestMissingSeesDifferences(t *testing.T) {
	parse := func(s string) (v any) {
		require.NoError(t, json.Unmarshal([]byte(s), &v))
		return v
	}
	for _, c := range []struct {
		want, got string
		n         int
	}{
		{`{"file":"a","x":[1,{"y":null}]}`, `{"file":"b","x":[1,{"y":null,"z":2}],"w":0}`, 0},
		{`{"x":1}`, `{}`, 1},
		{`{"x":1}`, `{"x":2}`, 1},
		{`{"x":1}`, `{"x":"1"}`, 1},
		{`{"x":null}`, `{"x":false}`, 1},
		{`{"x":[1,2]}`, `{"x":[1]}`, 1},
		{`{"x":[]}`, `{"x":null}`, 1},
		{`{"x":{"y":1},"z":3}`, `{"x":5,"z":4}`, 2},
	} {
		assert.Len(t, missing("", parse(c.want), parse(c.got)), c.n, "%s against %s", c.want, c.got)
	}
}

func TestInspectAgreesWithExpected(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		text, err := os.ReadFile(filepath.Join(c.dir, "expected", filepath.FromSlash(file)+".json"))
		require.NoError(t, err)
		var want, got any
		require.NoError(t, json.Unmarshal(text, &want))
		doc, err := json.Marshal(c.parse(t, file).Inspect("any name"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(doc, &got))
		for _, m := range missing("", want, got) {
			t.Error(m)
		}
		assert.Equal(t, "any name", got.(map[string]any)["file"])
	})
}

func TestInspectReadsBack(t *testing.T) {
	c := bundled(t)
	for _, file := range c.files {
		doc := c.parse(t, file).Inspect(file)
		doc.Findings = nil // a place in a finding is written as a link, which only prints
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		var back effect.Inspection
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&back), file)
		again, err := json.Marshal(&back)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(again), file)
	}
}

func TestEncodeGivesTheFileBack(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		b := c.read(t, file)
		e := c.parse(t, file)
		out, err := e.Encode()
		if e.Version != effect.WriteVersion {
			require.ErrorIs(t, err, effect.ErrVersion)
			return
		}
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, out))
	})
}

func TestBuildGivesTheCompilersFileBack(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		e := c.parse(t, file)
		if e.Version != effect.WriteVersion {
			return // TestBuildUpgrades
		}
		m := contentOnly(t, e)
		out, err := effect.Build(m)
		require.NoError(t, err)
		require.True(t, bytes.Equal(c.read(t, file), out))
	})
}

// contentOnly copies a model by way of its exported fields, so that no offset that
// was read can help the writer. The one that it has to keep is exported.
func contentOnly(t *testing.T, e *effect.Effect) *effect.Model {
	t.Helper()
	m, err := e.Model()
	require.NoError(t, err)
	text, err := json.Marshal(struct {
		Axes   []effect.Axis
		Bodies []*effect.Body
	}{m.Axes, m.Bodies})
	require.NoError(t, err)
	out := &effect.Model{CompilerVersion: m.CompilerVersion, SourceHash: m.SourceHash}
	require.NoError(t, json.Unmarshal(text, out))
	for _, b := range out.Bodies {
		for i := range b.Techniques {
			for j := range b.Techniques[i].Passes {
				for k := range b.Techniques[i].Passes[j].Stages {
					s := &b.Techniques[i].Passes[j].Stages[k]
					s.ProgramOffset, s.DefaultsOffset = 7, 7
				}
			}
			for j := range b.Techniques[i].Libraries {
				b.Techniques[i].Libraries[j].ProgramOffset = 7
			}
		}
	}
	return out
}

// An older file keeps its content when it is built as version 15, but for what the
// older version cannot say.
func TestBuildUpgrades(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		old := c.parse(t, file)
		if old.Version == effect.WriteVersion {
			return
		}
		m, err := old.Model()
		require.NoError(t, err)
		_, err = effect.Build(m)
		require.ErrorIs(t, err, effect.ErrRange, "an older file has no source hash")
		m.SourceHash = strings.Repeat("0", 32)
		b, err := effect.Build(m)
		require.NoError(t, err)
		e, err := effect.Parse(b)
		require.NoError(t, err)
		assert.Equal(t, uint32(15), e.Version)
		want, got := old.Inspect(""), e.Inspect("")
		require.Len(t, got.Stages, len(want.Stages))
		for i := range want.Stages {
			got.Stages[i].BytecodeOffset = want.Stages[i].BytecodeOffset
		}
		assert.Equal(t, want.Stages, got.Stages)
		assert.Equal(t, want.UniquePrograms, got.UniquePrograms)
		assert.Equal(t, want.Axes, got.Axes)
		require.Len(t, got.Bodies, len(want.Bodies))
		for i := range want.Bodies {
			assert.Equal(t, want.Bodies[i].Techniques, got.Bodies[i].Techniques)
			assert.Equal(t, want.Bodies[i].ParameterAnnotations, got.Bodies[i].ParameterAnnotations)
			assert.Equal(t, want.Bodies[i].Permutations, got.Bodies[i].Permutations)
		}
	})
}

// The compiler's own files give no warnings.
func TestFindingsOfCompilerFiles(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		for _, d := range c.parse(t, file).AllFindings() {
			assert.Equal(t, "effect.library", string(d.Code), d.String())
		}
	})
}

func TestBodiesArePartition(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		e := c.parse(t, file)
		seen := make([]bool, e.PermutationCount())
		last := -1
		for i, u := range e.Bodies() {
			assert.Equal(t, fmt.Sprintf("body%d", i), u.Key)
			require.NotEmpty(t, u.Permutations)
			assert.Greater(t, u.Permutations[0], last, "first-occurrence order")
			last = u.Permutations[0]
			for j, p := range u.Permutations {
				assert.False(t, seen[p])
				seen[p] = true
				assert.Equal(t, i, e.BodyOf(p))
				assert.True(t, j == 0 || u.Permutations[j-1] < p)
			}
			a, err := e.Body(u.Permutations[0])
			require.NoError(t, err)
			b, err := e.Body(u.Permutations[len(u.Permutations)-1])
			require.NoError(t, err)
			assert.Same(t, a, b, "aliases are one decoded body")
		}
		assert.NotContains(t, seen, false)
	})
}
