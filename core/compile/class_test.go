package compile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

func program(t *testing.T, elem ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{judge.Root(t), "testdata"}, elem...)...))
	require.NoError(t, err)
	return b
}

func compileOne(t *testing.T, b []byte, opt *compile.Options) *compile.Pass {
	t.Helper()
	s, err := dxbc.Open(b)
	require.NoError(t, err)
	p, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: b}}}, opt)
	require.NoError(t, err)
	return p
}

// TestClasses specialises interface calls: without a choice the call is refused
// by slot, with one it becomes straight code, and an array of interfaces that a
// register indexes becomes a switch where its elements differ.
func TestClasses(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(judge.Root(t), "testdata/hlsl/*interface*.dxbc"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var cases []judge.Case
	for _, name := range files {
		b := program(t, "hlsl", filepath.Base(name))
		s, err := dxbc.Open(b)
		require.NoError(t, err)
		if s.Interfaces == nil || len(s.Interfaces.Instances) == 0 {
			continue
		}
		p := compileOne(t, b, &compile.Options{})
		require.Equal(t, compile.Refused, p.Status, name)
		assert.True(t, hasCode(p, "lower.interface-call"), "%s: %v", name, p.Stages[0].Diags)
		instances := s.Interfaces.Instances
		// Every slot one instance, then the instances in turn.
		for turn := range 2 * len(instances) {
			classes := map[string]string{}
			for slot := range s.Interfaces.TotalSlots {
				i := turn
				if turn >= len(instances) {
					i += int(slot)
				}
				classes[fmt.Sprint(slot)] = instances[i%len(instances)].Name
			}
			p := compileOne(t, b, &compile.Options{Classes: classes})
			if !assert.Equal(t, compile.Translated, p.Status, "%s %v: %v", name, classes, p.Stages[0].Diags) {
				continue
			}
			cases = append(cases, passcase.Of(fmt.Sprintf("%s/%d", filepath.Base(name), turn), p)...)
		}
	}
	require.NotEmpty(t, cases)
	judge.Check(t, cases)
}

func hasCode(p *compile.Pass, code diag.Code) bool {
	for _, s := range p.Stages {
		for _, d := range s.Diags {
			if d.Code == code {
				return true
			}
		}
	}
	return false
}

// TestDeterministic compiles a third of the suite on one core and on all, twice
// at once, and compares every byte and diagnostic.
func TestDeterministic(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(judge.Root(t), "testdata/hlsl/*.dxbc"))
	require.NoError(t, err)
	render := func(b []byte) string {
		p := compileOne(t, b, &compile.Options{})
		var out strings.Builder
		for _, s := range p.Stages {
			fmt.Fprintln(&out, s.Status, s.Diags)
			if s.Module != nil {
				io, err := json.Marshal(s.Module.IO)
				assert.NoError(t, err)
				fmt.Fprintln(&out, s.Module.Code, s.Module.Tokens, string(io), s.Module.Requires)
			}
		}
		return out.String()
	}
	var inputs [][]byte
	for i := 0; i < len(files); i += 3 {
		inputs = append(inputs, program(t, "hlsl", filepath.Base(files[i])))
	}
	old := runtime.GOMAXPROCS(1)
	want := make([]string, len(inputs))
	for i, b := range inputs {
		want[i] = render(b)
	}
	runtime.GOMAXPROCS(old)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i, b := range inputs {
				assert.Equal(t, want[i], render(b))
			}
		}()
	}
	wg.Wait()
}

// TestEndless refuses loops that never end on purpose, and no others.
func TestEndless(t *testing.T) {
	for _, name := range []string{"engine-crash", "engine-crash-51"} {
		p := compileOne(t, program(t, "hlsl", name+".dxbc"), &compile.Options{})
		assert.Equal(t, compile.Refused, p.Status, name)
		assert.True(t, hasCode(p, "lower.endless-loop"), "%s: %v", name, p.Stages[0].Diags)
	}
	head := "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\ndcl_temps 2\ndcl_thread_group 1, 1, 1\nmov r0.x, l(0)\nloop\n"
	tail := "store_raw u0.x, r0.x, l(1)\niadd r0.x, r0.x, l(4)\nendloop\nret\n"
	for _, c := range []struct {
		name, exit string
		refused    bool
	}{
		{"no exit", "", true},
		{"exit never taken", "ilt r0.y, l(2), l(1)\nbreakc_nz r0.y\n", true},
		{"sentinel", "ld_raw r0.y, r0.x, u0.xxxx\nbreakc_z r0.y\n", true},
		{"counter", "uge r0.y, r0.x, l(64)\nbreakc_nz r0.y\n", false},
		{"sentinel and counter", "ld_raw r0.y, r0.x, u0.xxxx\nbreakc_z r0.y\nuge r0.y, r0.x, l(64)\nbreakc_nz r0.y\n", false},
		{"fixed address", "ld_raw r0.y, l(0), u0.xxxx\nbreakc_z r0.y\n", false},
	} {
		p := compileOne(t, assemble(t, head+c.exit+tail), &compile.Options{})
		assert.Equal(t, c.refused, hasCode(p, "lower.endless-loop"), "%s: %v", c.name, p.Stages[0].Diags)
	}
}
