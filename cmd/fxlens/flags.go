package main

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/core/wgsl"
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
			v = session.AutoView + "=auto"
		}
		key, format, ok := strings.Cut(v, "=")
		if !ok {
			return opt, usagef("--view %s: write REGISTER=FORMAT, as in t3=R32_UINT, or auto", v)
		}
		if err := session.SetViewFormat(&opt, key, format); err != nil {
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

// sidecar adds what FILE.fxlens.toml says to the options; flags have precedence.
func (a *app) sidecar(file string, opt *compile.Options) error {
	if isStdin(file) {
		return nil // a stream has nothing beside it
	}
	path := file + session.SidecarSuffix
	data, err := files.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	side, err := session.ParseSidecar(data)
	if err == nil {
		err = side.Apply(opt)
	}
	if err != nil {
		return &files.Error{Op: "read", Path: path, Reason: err.Error(), Remedy: "correct it or move it away", Err: err}
	}
	return nil
}
