package themes

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"fxlens/views"
)

//go:generate go run ./gen

//go:embed *.toml
var embedded embed.FS

const numCode = views.NumRoles - int(views.RoleCode)

// Theme says what every role looks like under every emphasis.
type Theme struct {
	Name       string // as the user selects it
	Title      string // for people
	Light      bool   // the background is light
	Background RGB    // what contrast is measured on; the terminal's own is not painted over
	Chroma     string // the chroma style that the code roles come from, or empty

	roles [views.NumRoles]Style
	emphs [views.NumEmphs]Style
}

// Style returns the look of a role under an emphasis, its colours readable on each other.
func (t *Theme) Style(r views.Role, e views.Emph) Style {
	s, over := t.roles[r], t.emphs[e]
	if over.FG != nil {
		s.FG = over.FG
	}
	if over.BG != nil {
		s.BG = over.BG
	}
	s.Attr |= over.Attr
	if s.FG != nil {
		bg := t.Background
		if s.BG != nil {
			bg = *s.BG
		}
		fg := readable(*s.FG, bg)
		s.FG = &fg
	}
	return s
}

// file is the shape of a theme file but for its tables of roles and emphases, which
// shape builds from the names so that the decoder itself rejects unknown ones.
var shape = sync.OnceValue(func() reflect.Type {
	style := reflect.TypeFor[*Style]()
	table := func(names []string) reflect.Type {
		var fs []reflect.StructField
		for i, n := range names {
			fs = append(fs, reflect.StructField{
				Name: fmt.Sprintf("F%d", i), Type: style,
				Tag: reflect.StructTag(fmt.Sprintf(`toml:"%s"`, n)),
			})
		}
		return reflect.StructOf(fs)
	}
	var roles, emphs []string
	for r := views.Role(0); r < views.NumRoles; r++ {
		roles = append(roles, r.String())
	}
	for e := views.Emph(1); e < views.NumEmphs; e++ {
		emphs = append(emphs, e.String())
	}
	text, boolean := reflect.TypeFor[string](), reflect.TypeFor[bool]()
	return reflect.StructOf([]reflect.StructField{
		{Name: "Name", Type: text, Tag: `toml:"name"`},
		{Name: "Title", Type: text, Tag: `toml:"title"`},
		{Name: "Light", Type: boolean, Tag: `toml:"light"`},
		{Name: "Background", Type: text, Tag: `toml:"background"`},
		{Name: "Chroma", Type: text, Tag: `toml:"chroma"`},
		{Name: "Roles", Type: table(roles), Tag: `toml:"roles"`},
		{Name: "Emphasis", Type: table(emphs), Tag: `toml:"emphasis"`},
	})
})

// Parse reads a theme file. It is strict: an unknown key, an unset role, a colour that
// is none and an unknown chroma style are errors; those that the file's text shows name
// file, line and column. Code roles may be left to the chroma style.
func Parse(file string, data []byte) (*Theme, error) {
	raw := reflect.New(shape())
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := dec.Decode(raw.Interface()); err != nil {
		return nil, positioned(file, err)
	}
	v := raw.Elem()
	str := func(f string) string { return v.FieldByName(f).String() }
	t := &Theme{Name: str("Name"), Title: str("Title"), Light: v.FieldByName("Light").Bool(), Chroma: str("Chroma")}
	if t.Name == "" {
		return nil, fmt.Errorf("%s: name is not set; give the theme one", file)
	}
	if t.Title == "" {
		t.Title = t.Name
	}
	var err error
	if t.Background, err = parseRGB(str("Background")); err != nil {
		return nil, fmt.Errorf("%s: background: %w; set it to the terminal's", file, err)
	}
	var code [numCode]string
	if t.Chroma != "" {
		var ok bool
		if code, ok = codeStyles[strings.ToLower(t.Chroma)]; !ok {
			return nil, fmt.Errorf("%s: unknown chroma style %q; there are: %s", file, t.Chroma, strings.Join(ChromaStyles(), ", "))
		}
	}
	roles, emphs := v.FieldByName("Roles"), v.FieldByName("Emphasis")
	for r := views.Role(0); r < views.NumRoles; r++ {
		if s := roles.Field(int(r)).Interface().(*Style); s != nil {
			t.roles[r] = *s
			continue
		}
		if !r.IsCode() || t.Chroma == "" {
			return nil, fmt.Errorf("%s: role %q is not set; add it to [roles]", file, r)
		}
		if err := t.roles[r].UnmarshalText([]byte(code[r-views.RoleCode])); err != nil {
			return nil, fmt.Errorf("%s: chroma style %s: %w", file, t.Chroma, err)
		}
	}
	for e := views.Emph(1); e < views.NumEmphs; e++ {
		s := emphs.Field(int(e) - 1).Interface().(*Style)
		if s == nil {
			return nil, fmt.Errorf("%s: emphasis %q is not set; add it to [emphasis]", file, e)
		}
		t.emphs[e] = *s
	}
	return t, nil
}

// positioned adds file, line and column to what the decoder says.
func positioned(file string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		e := strict.Errors[0]
		row, col := e.Position()
		return fmt.Errorf("%s:%d:%d: unknown key %q; remove it or correct its name", file, row, col, strings.Join(e.Key(), "."))
	}
	var dec *toml.DecodeError
	if errors.As(err, &dec) {
		row, col := dec.Position()
		return fmt.Errorf("%s:%d:%d: %w", file, row, col, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// Names lists the embedded themes, dark first.
func Names() []string {
	files, err := embedded.ReadDir(".")
	if err != nil {
		return nil // the embedded folder always reads
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".toml"))
	}
	slices.SortFunc(out, func(a, b string) int {
		if (a == "dark") != (b == "dark") {
			if a == "dark" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return out
}

// Load returns an embedded theme.
func Load(name string) (*Theme, error) {
	data, err := embedded.ReadFile(name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("unknown theme %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return Parse(name+".toml", data)
}

// ChromaStyles lists the chroma styles that a theme may name.
func ChromaStyles() []string {
	out := make([]string, 0, len(codeStyles))
	for n := range codeStyles {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
