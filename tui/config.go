package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/themes"
)

// configName is the file of the user's settings in Options.ConfigDir.
const configName = "config.toml"

// config is what the user's settings file says. A nil field leaves the default.
type config struct {
	Theme   *string        `toml:"theme"`
	Colour  *string        `toml:"colour"`
	Mouse   *bool          `toml:"mouse"`
	Wrap    *bool          `toml:"wrap"`
	Restore *bool          `toml:"restore"` // where the user left the file, on opening it again
	Watch   *bool          `toml:"watch"`   // reload what changes on disk
	Keys    map[string]any `toml:"keys"`    // action: key, or list of keys
}

// ConfigError says what is wrong in a settings file, and where.
type ConfigError struct {
	Path      string
	Line, Col int // from 1; 0 where it is about the whole
	Reason    string
	Err       error
}

func (e *ConfigError) Error() string {
	s := e.Path
	if e.Line > 0 {
		s += fmt.Sprintf(":%d:%d", e.Line, e.Col)
	}
	return s + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// parseConfig reads a settings file strictly and returns it with the keys that it gives.
func parseConfig(path string, data []byte) (*config, *keymap, error) {
	var c config
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&c)
	var strict *toml.StrictMissingError
	var dec *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		row, col := strict.Errors[0].Position()
		key := strings.Join(strict.Errors[0].Key(), ".")
		return nil, nil, &ConfigError{path, row, col, fmt.Sprintf("there is no setting %q; there are theme, colour, mouse, wrap, restore, watch and [keys]", key), err}
	case errors.As(err, &dec):
		row, col := dec.Position()
		return nil, nil, &ConfigError{path, row, col, strings.TrimPrefix(dec.Error(), "toml: "), err}
	case err != nil:
		return nil, nil, &ConfigError{path, 0, 0, err.Error(), err}
	}
	at := func(key, format string, args ...any) error {
		row, col := tomlPlace(data, key)
		return &ConfigError{path, row, col, fmt.Sprintf(format, args...), nil}
	}
	if c.Colour != nil {
		if _, ok := profiles[*c.Colour]; !ok && *c.Colour != "auto" {
			return nil, nil, at("colour", "colour %q: use auto, truecolor, 256, 16 or none", *c.Colour)
		}
	}
	km, key, err := remap(c.Keys)
	if err != nil {
		return nil, nil, at(key, "%v", err)
	}
	return &c, km, nil
}

// tomlPlace finds where a key is set, for errors about its value.
func tomlPlace(data []byte, key string) (row, col int) {
	if key == "" {
		return 0, 0
	}
	re := regexp.MustCompile(`^\s*["']?` + regexp.QuoteMeta(key) + `["']?\s*=`)
	for i, l := range bytes.Split(data, []byte("\n")) {
		if m := re.FindIndex(l); m != nil {
			return i + 1, len(l) - len(bytes.TrimLeft(l, " \t")) + 1
		}
	}
	return 0, 0
}

// keyForm is what a key of bubbletea's is called.
var keyForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((ctrl|alt|shift)\+)*(.|up|down|left|right|home|end|pgup|pgdown|tab|enter|esc|space|backspace|delete|insert|f([1-9]|1[0-9]|20))$`)
})

// remap returns the actions with the keys that the user gave some of them, and where it
// fails the name of the action at fault.
func remap(set map[string]any) (km *keymap, at string, err error) {
	if len(set) == 0 {
		return defaultKeys(), "", nil
	}
	all := actions()
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	slices.Sort(names)
	changed := make(map[string]bool)
	for _, n := range names {
		i := slices.IndexFunc(all, func(x action) bool { return x.ID == n })
		if i < 0 {
			var ids []string
			for k := range all {
				ids = append(ids, all[k].ID)
			}
			return nil, n, fmt.Errorf("there is no action %q; %s", n, session.Hint(n, ids))
		}
		var ks []string
		switch v := set[n].(type) {
		case string:
			ks = []string{v}
		case []any:
			for _, x := range v {
				s, ok := x.(string)
				if !ok {
					return nil, n, fmt.Errorf("keys of %s: a key is a string such as \"ctrl+e\"", n)
				}
				ks = append(ks, s)
			}
		default:
			return nil, n, fmt.Errorf("keys of %s: give a string such as \"ctrl+e\", or a list of them", n)
		}
		for k, s := range ks {
			if !keyForm().MatchString(s) {
				return nil, n, fmt.Errorf("keys of %s: %q is no key; keys are x, X, ctrl+x, alt+x, f5, enter, pgup and the like", n, s)
			}
			if s == "space" {
				ks[k] = " "
			}
		}
		if n == "quit" && !slices.Contains(ks, "ctrl+c") {
			ks = append(ks, "ctrl+c") // the way out that everybody knows
		}
		all[i].Keys, all[i].Tap = ks, ""
		changed[n] = true
	}
	for _, in := range places {
		owner := make(map[string]string)
		for i := range all {
			if all[i].In&in == 0 {
				continue
			}
			for _, k := range all[i].Keys {
				other, dup := owner[k]
				if !dup {
					owner[k] = all[i].ID
					continue
				}
				of := all[i].ID
				if !changed[of] {
					of, other = other, of
				}
				return nil, of, fmt.Errorf("keys of %s: %q is a key of %s already; give that one another key too", of, keyText(k), other)
			}
		}
	}
	return &keymap{all: all}, "", nil
}

// loadConfig reads the user's settings; without a file there are none.
func loadConfig(dir string) (*config, *keymap, error) {
	if dir == "" {
		return &config{}, defaultKeys(), nil
	}
	path := filepath.Join(dir, configName)
	data, err := files.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return &config{}, defaultKeys(), nil
	}
	if err != nil {
		return nil, nil, err
	}
	return parseConfig(path, data)
}

// applyConfig puts settings in force. What the command line said stays.
func (m *Model) applyConfig(c *config, km *keymap) error {
	m.cfg, m.keys = c, km
	if c.Theme != nil && m.opt.Theme == "" && *c.Theme != m.theme.Name {
		t, err := loadTheme(*c.Theme, m.opt)
		if err != nil {
			return err
		}
		m.setTheme(t)
	}
	if c.Wrap != nil {
		m.wrap = *c.Wrap
	}
	m.dirty = true
	return nil
}

// themesDir is the folder of the user's own themes, or "".
func (o *Options) themesDir() string {
	if o.ConfigDir == "" {
		return ""
	}
	return filepath.Join(o.ConfigDir, "themes")
}

// themeNames lists the themes of the program, then those of the user.
func (o *Options) themeNames() []string {
	out := themes.Names()
	es, err := os.ReadDir(o.themesDir())
	if o.themesDir() == "" || err != nil {
		return out
	}
	for _, e := range es {
		if n, ok := strings.CutSuffix(e.Name(), ".toml"); ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// loadTheme finds a theme: one of the program's or of the user's by name, or a file by
// path.
func loadTheme(name string, o Options) (*themes.Theme, error) {
	t, err := themes.Load(name)
	if err == nil {
		return t, nil
	}
	path := name
	if d := o.themesDir(); d != "" && !strings.ContainsAny(name, `/\`) && !strings.HasSuffix(name, ".toml") {
		path = filepath.Join(d, name+".toml")
	}
	data, ferr := files.Read(path, 1<<20)
	if errors.Is(ferr, fs.ErrNotExist) && path != name {
		data, ferr = files.Read(name, 1<<20)
		path = name
	}
	if errors.Is(ferr, fs.ErrNotExist) {
		return nil, fmt.Errorf("unknown theme %q; there are: %s", name, strings.Join(o.themeNames(), ", "))
	}
	if ferr != nil {
		return nil, ferr
	}
	return themes.Parse(path, data)
}
