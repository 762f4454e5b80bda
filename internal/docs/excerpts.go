package docs

import (
	"regexp"
	"strings"
)

var excerpt = regexp.MustCompile("(?s)(<!-- fxlens (\\S+) -->\n```wgsl\n)(.*?)(```\n)")

// Refresh replaces what stands in the blocks behind "<!-- fxlens PROGRAM -->" by
// what the compiler writes for the program's entry point now.
func Refresh(text string, compile func(program string) (string, error)) (string, error) {
	var failed error
	out := excerpt.ReplaceAllStringFunc(text, func(block string) string {
		m := excerpt.FindStringSubmatch(block)
		code, err := compile(m[2])
		if err != nil && failed == nil {
			failed = err
		}
		return m[1] + EntryPoint(code) + m[4]
	})
	return out, failed
}

// Excerpts counts the blocks that Refresh replaces.
func Excerpts(text string) int { return len(excerpt.FindAllString(text, -1)) }

// EntryPoint is the entry point of a module, attributes and all, without the
// declarations and helpers before it.
func EntryPoint(code string) string {
	for _, stage := range []string{"@vertex\n", "@fragment\n", "@compute "} {
		if i := strings.LastIndex(code, stage); i >= 0 {
			return code[i:]
		}
	}
	return code
}
