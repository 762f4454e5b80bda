package session

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"

	"fxlens/core/compile"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// AutoView is the key of Options.Views that stands for every view without a format
// of its own.
const AutoView = "*"

var viewKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[^/]*/[0-9]+/)?(?:(?:vs|ps|cs|gs|hs|ds)/)?[tu][0-9]+$`)
})

// SettingKind says which of the compiler's options a setting is.
type SettingKind uint8

// The kinds.
const (
	SetView    SettingKind = iota // format of a bound view; key "Main/0/ps/t3", value a DXGI format
	SetClass                      // class instance of an interface slot; key a slot, value a name
	SetNumeric                    // value "default" or "exact"
	SetLimits                     // value "any" or "default"
	SetStrict                     // value "on" or "off"
)

// Setting is one assignment to the compiler's options. An empty value of a view or
// a class takes it away.
type Setting struct {
	Kind  SettingKind
	Key   string // of views and classes
	Value string
}

// String is the setting as a flag of the command line.
func (s Setting) String() string {
	switch s.Kind {
	case SetView:
		return "--view " + s.Key + "=" + s.Value
	case SetClass:
		return "--class " + s.Key + "=" + s.Value
	case SetNumeric:
		return "--numeric " + s.Value
	case SetLimits:
		return "--limits " + s.Value
	}
	return "--strict=" + map[string]string{"on": "true"}[s.Value] + map[string]string{"off": "false"}[s.Value]
}

// Apply returns the options with the setting made; o is not changed. It fails on a
// value that the option does not have.
func (s Setting) Apply(o compile.Options) (compile.Options, error) {
	switch s.Kind {
	case SetView:
		o.Views = maps.Clone(o.Views)
		if s.Value == "" {
			delete(o.Views, s.Key)
			return o, nil
		}
		return o, SetViewFormat(&o, s.Key, s.Value)
	case SetClass:
		o.Classes = maps.Clone(o.Classes)
		if s.Value == "" {
			delete(o.Classes, s.Key)
			return o, nil
		}
		if o.Classes == nil {
			o.Classes = map[string]string{}
		}
		o.Classes[s.Key] = s.Value
	case SetNumeric:
		switch s.Value {
		case "exact":
			o.Numeric = wgsl.Exact
		case "default":
			o.Numeric = 0
		default:
			return o, fmt.Errorf("numeric %q: use default or exact", s.Value)
		}
	case SetLimits:
		if s.Value != "any" && s.Value != "default" {
			return o, fmt.Errorf("limits %q: use any or default", s.Value)
		}
		o.Limits = s.Value == "default"
	case SetStrict:
		if s.Value != "on" && s.Value != "off" {
			return o, fmt.Errorf("strict %q: use on or off", s.Value)
		}
		o.Strict = s.Value == "on"
	default:
		return o, fmt.Errorf("there is no setting %d", s.Kind)
	}
	return o, nil
}

// ValueIn returns what the options have for the kind and key of s.
func (s Setting) ValueIn(o *compile.Options) string {
	switch s.Kind {
	case SetView:
		return o.Views[s.Key]
	case SetClass:
		return o.Classes[s.Key]
	case SetNumeric:
		if o.Numeric == wgsl.Exact {
			return "exact"
		}
		return "default"
	case SetLimits:
		if o.Limits {
			return "default"
		}
		return "any"
	}
	if o.Strict {
		return "on"
	}
	return "off"
}

// SetViewFormat gives a bound view its format in the options: key is a register
// ("t3"), with stage ("ps/t3") or pass and stage ("Main/0/ps/t3"), or AutoView;
// format a DXGI format with or without its prefix, or "auto".
func SetViewFormat(o *compile.Options, key, format string) error {
	if key != AutoView && !viewKey().MatchString(key) {
		return errors.New("the register is written t3, u0, ps/t3 or Main/0/ps/t3")
	}
	format = strings.TrimPrefix(strings.ToUpper(format), "DXGI_FORMAT_")
	if format == "AUTO" {
		format = "auto"
	} else if _, ok := layout.LookupFormat(format); !ok {
		return fmt.Errorf("there is no view format %q; %s", format, Hint(format, layout.FormatNames()))
	}
	if o.Views == nil {
		o.Views = map[string]string{}
	}
	o.Views[key] = format
	return nil
}

// With returns a session over the same file with other options. The two share what
// has been read and compiled; the receiver keeps its options.
func (s *Session) With(o compile.Options) *Session {
	t := *s
	t.Options, t.compiled = o, nil
	return &t
}
