package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An example is one command of a console block, with what a reader is shown of it.
type example struct {
	line    int    // of "$ ..."
	command string // with continued lines joined
	code    int    // as "# exit code N" behind the command says
	shown   []string
}

var exitComment = regexp.MustCompile(`\s+# exit code (\d)$`)

// examples reads the console blocks of a page.
func examples(page string) []example {
	var list []example
	inside, joining := false, false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case !inside && line == "```console":
			inside = true
		case inside && line == "```":
			inside, joining = false, false
		case inside && joining:
			last := &list[len(list)-1]
			last.command, joining = cutContinued(last.command + strings.TrimSpace(line))
		case inside && strings.HasPrefix(line, "$ "):
			e := example{line: i + 1}
			e.command, joining = cutContinued(line[2:])
			list = append(list, e)
		case inside && len(list) > 0:
			last := &list[len(list)-1]
			last.shown = append(last.shown, line)
		}
	}
	for i := range list {
		if m := exitComment.FindStringSubmatch(list[i].command); m != nil {
			list[i].command = strings.TrimSuffix(list[i].command, m[0])
			list[i].code, _ = strconv.Atoi(m[1])
		}
	}
	return list
}

func cutContinued(s string) (string, bool) {
	cut, joined := strings.CutSuffix(s, `\`)
	return cut, joined
}

// words splits a command as a shell would: blanks, single and double quotes.
func words(command string) []string {
	var list []string
	var word strings.Builder
	quote, started := rune(0), false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, started = r, true
		case quote == 0 && r == ' ':
			if started {
				list = append(list, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if started {
		list = append(list, word.String())
	}
	return list
}

// shows says whether got is what is shown, in which a line "..." stands for any number
// of lines.
func shows(shown, got []string) bool {
	if len(shown) == 0 {
		return len(got) == 0
	}
	if shown[0] == "..." {
		for i := range len(got) + 1 {
			if shows(shown[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && strings.TrimRight(got[0], " ") == strings.TrimRight(shown[0], " ") && shows(shown[1:], got[1:])
}

// TestExamples carries out each command of each console block of README.md and docs, in
// the root of the repository, and compares what it prints (first its output, then its
// messages). What an example writes goes to build/, which is thrown away.
func TestExamples(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LANG", "C.UTF-8")
	pages := []string{"README.md"}
	require.NoError(t, filepath.WalkDir("docs", func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}))
	build, err := os.MkdirTemp("", "fxlens-examples-*")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(build) })
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, e := range examples(string(text)) {
			count++
			args := words(e.command)
			head := -1
			if i := slices.Index(args, "|"); i >= 0 {
				require.True(t, len(args) == i+3 && args[i+1] == "head" && args[i+2][0] == '-', "%s:%d: only | head -N is known here", page, e.line)
				head, err = strconv.Atoi(args[i+2][1:])
				require.NoError(t, err)
				args = args[:i]
			}
			require.Equal(t, "fxlens", args[0], "%s:%d", page, e.line)
			for i := range args {
				args[i] = strings.Replace(args[i], "build/", build+"/", 1)
			}
			var out, messages bytes.Buffer
			code := run(context.Background(), args[1:], strings.NewReader(""), &out, &messages)
			assert.Equal(t, e.code, code, "%s:%d: %s\n%s", page, e.line, e.command, messages.String())
			got := strings.Split(strings.ReplaceAll(out.String()+messages.String(), build+"/", "build/"), "\n")
			got = got[:len(got)-1]
			if head >= 0 {
				got = strings.Split(out.String(), "\n")
				got = got[:min(head, len(got))]
			}
			assert.True(t, shows(e.shown, got), "%s:%d: %s\nprints\n%s", page, e.line, e.command, strings.Join(got, "\n"))
		}
	}
	assert.GreaterOrEqual(t, count, 20, "examples were not found")
}

func TestShows(t *testing.T) {
	assert.True(t, shows([]string{"a", "...", "c"}, []string{"a", "b", "b", "c"}))
	assert.True(t, shows([]string{"a", "..."}, []string{"a"}))
	assert.False(t, shows([]string{"a"}, []string{"a", "b"}))
	assert.False(t, shows([]string{"...", "x"}, []string{"a", "b"}))
	assert.Equal(t, []string{"a", "b c", `d"e`, ""}, words(`a 'b c' 'd"e' ""`))
	page := "```console\n$ fxlens a \\\n  b  # exit code 3\nout\n```\n$ not\n"
	assert.Equal(t, []example{{line: 2, command: "fxlens a b", code: 3, shown: []string{"out"}}}, examples(page))
}
