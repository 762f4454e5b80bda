package session

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"fxlens/core/compile"
	"fxlens/core/diag"
)

// SidecarSuffix is what the name of a sidecar has behind that of its file.
const SidecarSuffix = ".fxlens.toml"

// Sidecar is what FILE.fxlens.toml says: views and classes to the compiler, bookmarks
// (notes by deep link) to the terminal program.
type Sidecar struct {
	Views     map[string]string `toml:"views"`
	Classes   map[string]string `toml:"classes"`
	Bookmarks map[string]string `toml:"bookmarks"`
}

// sidecarTables are the keys of a sidecar. The decoder would take Views for views, which
// TOML does not, and would pass over what it does not know.
var sidecarTables = []string{"views", "classes", "bookmarks"}

// ParseSidecar reads a sidecar. It fails with an error that names line and column.
func ParseSidecar(data []byte) (*Sidecar, error) {
	var s Sidecar
	if err := toml.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("not valid TOML: %s", TOMLReason(err))
	}
	var keys map[string]any
	if err := toml.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("not valid TOML: %s", TOMLReason(err))
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(sidecarTables, k) {
			at := ""
			if from, _ := tableLines(strings.Split(string(data), "\n"), k); from >= 0 {
				at = fmt.Sprintf(" (line %d)", from+1)
			}
			return nil, fmt.Errorf("there is no table %q%s: %s", k, at, diag.Hint(k, sidecarTables))
		}
	}
	return &s, nil
}

// TOMLReason is the message of a TOML error with line and column.
func TOMLReason(err error) string {
	var de *toml.DecodeError
	if errors.As(err, &de) {
		row, col := de.Position()
		return strings.TrimPrefix(de.Error(), "toml: ") + " (line " + strconv.Itoa(row) + ", column " + strconv.Itoa(col) + ")"
	}
	return err.Error()
}

// Apply adds what the sidecar says to the options; what is set there already has
// precedence. It fails on a key or a format that does not exist.
func (s *Sidecar) Apply(o *compile.Options) error {
	for _, k := range sortedKeys(s.Views) {
		key := k
		if k == "auto" {
			key = AutoView
		}
		if _, set := o.Views[key]; set {
			continue
		}
		if err := SetViewFormat(o, key, s.Views[k]); err != nil {
			return fmt.Errorf("[views] %s: %w", k, err)
		}
	}
	for k, v := range s.Classes {
		if o.Classes == nil {
			o.Classes = map[string]string{}
		}
		if _, set := o.Classes[k]; !set {
			o.Classes[k] = v
		}
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// EditSidecar returns the text of a sidecar with one key of a table set, or taken
// away where value is nil. Everything else stays as it is, comments too. A table
// that becomes empty goes. It fails on data that is not valid TOML, on a table that
// is written inline or with dots, and where the result would not say what was asked.
func EditSidecar(data []byte, table, key string, value *string) ([]byte, error) {
	if _, err := ParseSidecar(data); err != nil {
		return nil, err
	}
	line := ""
	if value != nil {
		line = tomlString(key) + " = " + tomlString(*value)
	}
	var lines []string
	if len(data) > 0 {
		lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	from, to := tableLines(lines, table)
	switch {
	case from < 0 && value == nil:
		return data, nil
	case from < 0:
		if len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) != "" {
			lines = append(lines, "")
		}
		lines = append(lines, "["+table+"]", line)
	default:
		at := -1
		for i := from + 1; i < to; i++ {
			if k, ok := tomlKey(lines[i]); ok && k == key {
				at = i
			}
		}
		switch {
		case at >= 0 && value != nil:
			lines[at] = line
		case at >= 0:
			lines = slices.Delete(lines, at, at+1)
			to--
			if blankLines(lines[from+1 : to]) {
				lines = slices.Delete(lines, from, to)
				if from > 0 && from == len(lines) && strings.TrimSpace(lines[from-1]) == "" {
					lines = lines[:from-1]
				}
			}
		case value != nil:
			end := to
			for end > from+1 && strings.TrimSpace(lines[end-1]) == "" {
				end--
			}
			lines = slices.Insert(lines, end, line)
		}
	}
	var out []byte
	if len(lines) > 0 {
		out = []byte(strings.Join(lines, "\n") + "\n")
	}
	return out, checkEdit(data, out, table, key, value)
}

// checkEdit reads the result back: the one key is as asked and no other changed.
func checkEdit(before, after []byte, table, key string, value *string) error {
	var a, b map[string]any
	if toml.Unmarshal(before, &a) != nil || toml.Unmarshal(after, &b) != nil {
		return fmt.Errorf("the table [%s] is written in a way that cannot be edited", table)
	}
	if a == nil {
		a = map[string]any{}
	}
	t, _ := a[table].(map[string]any)
	if t == nil {
		t = map[string]any{}
	}
	if value != nil {
		t[key] = *value
	} else {
		delete(t, key)
	}
	a[table] = t
	if len(t) == 0 {
		delete(a, table)
	}
	if u, ok := b[table].(map[string]any); ok && len(u) == 0 {
		delete(b, table)
	}
	want, err1 := toml.Marshal(a)
	got, err2 := toml.Marshal(b)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !bytes.Equal(want, got) {
		return fmt.Errorf("the table [%s] is written in a way that cannot be edited", table)
	}
	return nil
}

// tableLines finds the header of a table and the line behind its last one; -1 where
// there is no such header.
func tableLines(lines []string, table string) (from, to int) {
	from = -1
	for i, l := range lines {
		t := strings.TrimSpace(l)
		if !strings.HasPrefix(t, "[") {
			continue
		}
		if from >= 0 {
			return from, i
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(t, "["), "]")
		if strings.TrimSpace(name) == table {
			from = i
		}
	}
	return from, len(lines)
}

// tomlKey reads the key of a line "key = value".
func tomlKey(line string) (string, bool) {
	var m map[string]any
	if toml.Unmarshal([]byte(line), &m) != nil || len(m) != 1 {
		return "", false
	}
	for k := range m {
		return k, true
	}
	return "", false
}

func blankLines(lines []string) bool {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return false
		}
	}
	return true
}

// tomlString writes a basic string, which can hold any text.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
