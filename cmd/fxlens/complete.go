package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/session"
)

// completeLink completes FILE[LINK]: files by the shell, and behind "?" and "#" the
// names of the file's axes, options, techniques, passes and stages.
func (a *app) completeLink(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	at := strings.IndexAny(word, "?#")
	if at < 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	l, err := parseArg(word[:at])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	s, err := a.open(l)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, c := range linkCandidates(s, word[at:]) {
		if strings.HasPrefix(c, word[at:]) {
			out = append(out, word[:at]+c)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// linkCandidates lists what may stand where the link ends, each with all that
// stands before it.
func linkCandidates(s *session.Session, link string) []string {
	query, _, hasFragment := strings.Cut(link, "#")
	if !hasFragment {
		return optionCandidates(s, link)
	}
	l, err := session.ParseLink("x" + query)
	if err != nil {
		return nil
	}
	t, err := s.Resolve(l)
	if err != nil {
		return nil
	}
	var out []string
	for _, p := range t.Passes {
		in, err := s.Input(t.Perm, p)
		if err != nil {
			continue
		}
		place := p.String()
		if s.Kind == session.ProgramFile {
			place = ""
		} else {
			out = append(out, query+"#"+place)
		}
		for _, st := range in.Stages {
			stage := place + "/" + st.Kind.String()
			out = append(out, query+"#"+strings.TrimPrefix(stage, "/"))
		}
	}
	return out
}

// optionCandidates completes the last AXIS=OPTION of a query; axes that are named
// already are not offered again.
func optionCandidates(s *session.Session, link string) []string {
	if s.Effect == nil {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(link, "?"), "&")
	before := "?" + strings.Join(append(parts[:len(parts)-1:len(parts)-1], ""), "&")
	named := map[string]bool{}
	for _, p := range parts[:len(parts)-1] {
		axis, _, _ := strings.Cut(p, "=")
		named[axis] = true
	}
	axis, _, hasValue := strings.Cut(parts[len(parts)-1], "=")
	var out []string
	for i := range s.Effect.Axes {
		x := &s.Effect.Axes[i]
		name := session.Escape(x.Name)
		switch {
		case named[name]:
		case !hasValue:
			out = append(out, before+name+"=")
		case name == axis:
			for _, o := range x.Options {
				out = append(out, before+name+"="+session.Escape(o))
			}
		}
	}
	return out
}

// completePhases lists the phases of the first stage that the arguments select.
func (a *app) completePhases(ctx context.Context, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	s, t, err := a.at(args[0])
	if err != nil {
		return nil
	}
	refs, err := stages(s, t)
	if err != nil || len(refs) == 0 {
		return nil
	}
	phases, err := s.Phases(ctx, t.Perm, refs[0].pass, refs[0].index)
	if err != nil {
		return nil
	}
	out := []string{"list"}
	for _, p := range phases {
		out = append(out, p.Name)
	}
	return out
}

// completeSets completes AXIS=OPTION of the file that the arguments name.
func (a *app) completeSets(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) == 0 {
		return nil, none
	}
	s, _, err := a.at(args[0])
	if err != nil {
		return nil, none
	}
	var out []string
	for _, c := range optionCandidates(s, "?"+word) {
		if c = strings.TrimPrefix(c, "?"); strings.HasPrefix(c, word) {
			out = append(out, c)
		}
	}
	return out, none | cobra.ShellCompDirectiveNoSpace
}

// completePasses completes the passes of the file that the arguments name.
func (a *app) completePasses(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, t, err := a.at(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, p := range t.Passes {
		out = append(out, p.String())
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
