package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/cmd/fxlens/gate"
	"fxlens/cmd/fxlens/judge"
)

// check is one thing that doctor looked at.
type check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Optional marks a part that only some commands need; it may be missing.
	Optional bool   `json:"optional,omitempty"`
	Value    string `json:"value"`
	Remedy   string `json:"remedy,omitempty"` // where OK is false, or something could be better
}

type doctorDoc struct {
	Schema string  `json:"schema"` // fxlens.doctor/1
	Checks []check `json:"checks"`
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "check the surroundings: terminal, folders, optional parts",
		Long: `doctor says what fxlens finds around it: the terminal and its colours, the character
set, the folders that it writes to, and the parts that single commands need: a browser
(gate), node with Google's Dawn and a Vulkan driver (run). "--" marks an optional part that
is missing; a failed check makes the exit code 1.`,
		Args: exactly(0, "leave them out"),
		RunE: func(*cobra.Command, []string) error {
			checks := a.checks(os.Getenv)
			failed := false
			for _, c := range checks {
				failed = failed || !c.OK && !c.Optional
			}
			if a.json {
				if err := a.printJSON(doctorDoc{"fxlens.doctor/1", checks}); err != nil {
					return err
				}
			} else {
				t := table{}
				for _, c := range checks {
					mark := "ok"
					switch {
					case !c.OK && c.Optional:
						mark = "--"
					case !c.OK:
						mark = "FAIL"
					}
					v := c.Value
					if c.Remedy != "" {
						v += "; " + c.Remedy
					}
					t.add(mark, c.Name, v)
				}
				a.print("%s", t.String())
			}
			if failed {
				return errRefused
			}
			return nil
		},
	}
}

func (a *app) checks(getenv func(string) string) []check {
	term := check{Name: "terminal", OK: true, Value: getenv("TERM")}
	switch {
	case !a.inTerm || !a.outTerm:
		term.Value = "input or output is no terminal"
		term.Remedy = "the inspector opens on a terminal; every command prints as text"
	case term.Value == "" || term.Value == "dumb":
		term.OK = false
		term.Remedy = "set TERM to what the terminal is, xterm-256color as a rule"
	}
	colours := check{Name: "colours", OK: true, Value: "by TERM"}
	switch {
	case getenv("NO_COLOR") != "":
		colours.Value = "none (NO_COLOR is set)"
	case getenv("COLORTERM") == "truecolor" || getenv("COLORTERM") == "24bit":
		colours.Value = "16 million (COLORTERM)"
	case strings.Contains(getenv("TERM"), "256color"):
		colours.Value = "256 (TERM)"
	}
	charset := check{Name: "characters", OK: true, Value: "not set", Remedy: "set LANG to a UTF-8 locale for lines and marks"}
	for _, k := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		v := getenv(k)
		if v == "" {
			continue
		}
		charset.Value = k + "=" + v
		if u := strings.ToUpper(v); strings.Contains(u, "UTF-8") || strings.Contains(u, "UTF8") {
			charset.Remedy = ""
		}
		break
	}
	out := []check{
		{Name: "fxlens", OK: true, Value: strings.TrimPrefix(versionLine(), "fxlens ")},
		{Name: "built with", OK: true, Value: runtime.Version() + " for " + runtime.GOOS + "/" + runtime.GOARCH},
		term, colours, charset,
	}
	cache, err := os.UserCacheDir()
	out = append(out, folder("cache folder", cache, err))
	config, err := os.UserConfigDir()
	out = append(out, folder("configuration folder", config, err))
	out = append(out, folder("temporary folder", os.TempDir(), nil))
	return append(out, optional()...)
}

// optional looks for what single commands need and fxlens itself does not. What is
// missing is told with its remedy and is no failure.
func optional() []check {
	part := func(name, serves, value string, err error) check {
		c := check{Name: name, OK: true, Optional: true, Value: value}
		if err != nil {
			c.OK, c.Value, c.Remedy = false, "only "+serves+" needs it", err.Error()
		}
		return c
	}
	path, err := gate.Find("")
	browser := part("browser", "`fxlens gate`", path, err)
	node, err := exec.LookPath("node")
	if err != nil {
		err = errors.New("install Node.js from https://nodejs.org")
	}
	dawn, derr := judge.Find("")
	where := ""
	if derr == nil {
		where = dawn.Dir()
	}
	return []check{
		browser,
		part("node", "`fxlens run` with WGSL", node, err),
		part("Dawn", "`fxlens run` with WGSL", where, derr),
		part("Vulkan driver", "`fxlens run` with WGSL", "found", judge.Driver()),
	}
}

// folder checks that a folder can be written to, or could be made.
func folder(name, dir string, err error) check {
	c := check{Name: name, Value: dir}
	if err != nil {
		c.Value, c.Remedy = err.Error(), "set HOME, or the XDG variable of the folder"
		return c
	}
	// The nearest folder that exists decides: the rest is made when it is needed.
	at := dir
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			c.Remedy = at + " is no folder: move it away"
			return c
		}
		if err == nil {
			break
		}
		up := filepath.Dir(at)
		if up == at {
			c.Remedy = "no such folder: make it"
			return c
		}
		at = up
	}
	f, err := os.CreateTemp(at, ".fxlens-doctor-*")
	if err != nil {
		c.Remedy = "cannot be written to: check the permissions of " + at
		return c
	}
	f.Close()
	os.Remove(f.Name())
	c.OK = true
	return c
}

// versionDoc is the JSON of version.
type versionDoc struct {
	Schema  string `json:"schema"` // fxlens.version/1
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  exactly(0, "leave them out"),
		RunE: func(*cobra.Command, []string) error {
			if !a.json {
				a.print("%s\n%s %s/%s\n", versionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return nil
			}
			d := versionDoc{"fxlens.version/1", version, "", runtime.Version(), runtime.GOOS, runtime.GOARCH}
			if bi, ok := debug.ReadBuildInfo(); ok {
				for _, kv := range bi.Settings {
					if kv.Key == "vcs.revision" {
						d.Commit = kv.Value
					}
				}
			}
			return a.printJSON(d)
		},
	}
}
