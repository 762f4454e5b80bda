package main

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// compileFlags are the flags that change what is compiled.
type compileFlags struct {
	views   []string
	classes []string
	numeric string
	strict  bool
	merge   bool
	limits  string
}

func (f *compileFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.views, "view", nil, "format of a bound view: `t3=R32_UINT`, Main/0/ps/t3=..., or auto (repeatable)")
	fl.StringArrayVar(&f.classes, "class", nil, "class instance of an interface slot: `SLOT=NAME` (repeatable)")
	fl.StringVar(&f.numeric, "numeric", "default", "`default|exact`: exact keeps D3D's results for NaN and the like")
	fl.BoolVar(&f.strict, "strict", false, "refuse what would be a warning")
	fl.BoolVar(&f.merge, "transforms", false, "merge the detail maps of a pass into one array texture where that is exact")
	fl.StringVar(&f.limits, "limits", "any", "`any|default`: default refuses what needs more than WebGPU's default limits")
	for flag, words := range map[string][]string{"numeric": {"default", "exact"}, "limits": {"any", "default"}, "view": {"auto"}} {
		// It fails only for a flag that does not exist.
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// autoView is the key of Options.Views that stands for every view without a format
// of its own.
const autoView = "*"

var viewKey = regexp.MustCompile(`^(?:[^/]*/[0-9]+/)?(?:(?:vs|ps|cs|gs|hs|ds)/)?[tu][0-9]+$`)

// options makes compiler options of the flags.
func (f *compileFlags) options() (compile.Options, error) {
	opt := compile.Options{Options: wgsl.Options{Strict: f.strict}, Transforms: f.merge}
	switch f.numeric {
	case "exact":
		opt.Numeric = wgsl.Exact
	case "default", "":
	default:
		return opt, usagef("--numeric %s: use default or exact", f.numeric)
	}
	switch f.limits {
	case "default":
		opt.Limits = true
	case "any", "":
	default:
		return opt, usagef("--limits %s: use any or default", f.limits)
	}
	for _, v := range f.views {
		if v == "auto" {
			v = autoView + "=auto"
		}
		key, format, ok := strings.Cut(v, "=")
		if !ok {
			return opt, usagef("--view %s: write REGISTER=FORMAT, as in t3=R32_UINT, or auto", v)
		}
		if err := setView(&opt, key, format); err != nil {
			return opt, usagef("--view %s: %v", v, err)
		}
	}
	for _, c := range f.classes {
		slot, name, ok := strings.Cut(c, "=")
		if !ok || slot == "" || name == "" {
			return opt, usagef("--class %s: write SLOT=NAME", c)
		}
		if opt.Classes == nil {
			opt.Classes = map[string]string{}
		}
		opt.Classes[slot] = name
	}
	return opt, nil
}

func setView(opt *compile.Options, key, format string) error {
	if key != autoView && !viewKey.MatchString(key) {
		return errors.New("the register is written t3, u0, ps/t3 or Main/0/ps/t3")
	}
	format = strings.TrimPrefix(strings.ToUpper(format), "DXGI_FORMAT_")
	if format == "AUTO" {
		format = "auto"
	} else if _, ok := layout.LookupFormat(format); !ok {
		return fmt.Errorf("there is no view format %q; %s", format, session.Hint(format, layout.FormatNames()))
	}
	if opt.Views == nil {
		opt.Views = map[string]string{}
	}
	opt.Views[key] = format
	return nil
}

// sidecarFile is what fxlens reads of FILE.fxlens.toml. Other tables in it are the
// terminal program's.
type sidecarFile struct {
	Views   map[string]string `toml:"views"`
	Classes map[string]string `toml:"classes"`
}

// sidecar adds what FILE.fxlens.toml says to the options; flags have precedence.
func (a *app) sidecar(file string, opt *compile.Options) error {
	if isStdin(file) {
		return nil // a stream has nothing beside it
	}
	path := file + ".fxlens.toml"
	data, err := files.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var side sidecarFile
	if err := toml.Unmarshal(data, &side); err != nil {
		return &files.Error{Op: "read", Path: path, Reason: "not valid TOML: " + tomlReason(err), Remedy: "correct it or move it away", Err: err}
	}
	keys := make([]string, 0, len(side.Views))
	for k := range side.Views {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		key := k
		if k == "auto" {
			key = autoView
		}
		if _, set := opt.Views[key]; set {
			continue
		}
		if err := setView(opt, key, side.Views[k]); err != nil {
			return &files.Error{Op: "read", Path: path, Reason: "[views] " + k + ": " + err.Error(), Remedy: "correct it or move it away", Err: err}
		}
	}
	for k, v := range side.Classes {
		if opt.Classes == nil {
			opt.Classes = map[string]string{}
		}
		if _, set := opt.Classes[k]; !set {
			opt.Classes[k] = v
		}
	}
	return nil
}

// tomlReason is the message of a TOML error with line and column.
func tomlReason(err error) string {
	var de *toml.DecodeError
	if errors.As(err, &de) {
		row, col := de.Position()
		return strings.TrimPrefix(de.Error(), "toml: ") + " (line " + strconv.Itoa(row) + ", column " + strconv.Itoa(col) + ")"
	}
	return err.Error()
}
