package main

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"fxlens/core/pack/carbon"
	"fxlens/core/session"
	"fxlens/views"
)

// linksDiffDoc is the JSON of a comparison of two links.
type linksDiffDoc struct {
	Schema   string         `json:"schema"` // fxlens.diff-links/1
	A        string         `json:"a"`
	B        string         `json:"b"`
	Form     views.DiffForm `json:"form"`
	Equal    bool           `json:"equal"`    // no section differs
	Complete bool           `json:"complete"` // every section could be compared
	Sections []sectionDoc   `json:"sections"`
}

// sectionDoc is one stage of one pass on both sides.
type sectionDoc struct {
	Name    string           `json:"name"`
	Status  views.DiffStatus `json:"status"`
	Why     string           `json:"why,omitempty"`
	Added   int              `json:"added"`
	Removed int              `json:"removed"`
	Renamed int              `json:"renamed"` // lines that differ in nothing but names
	Hunks   []hunkDoc        `json:"hunks"`
}

// hunkDoc is a run of changed lines; lines count from 1, as in a unified diff.
type hunkDoc struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// isPackage reports whether a file is one that diff compares by meaning.
func isPackage(data []byte) bool {
	return bytes.HasPrefix(data, []byte("CWGP")) || carbon.Sniff(data)
}

// diffArgs sees whether both arguments are packages, or else opens both sides. The second
// link may leave out the file.
func (a *app) diffArgs(args []string) (packages bool, sides [2]views.DiffSide, err error) {
	var links [2]session.Link
	for i, arg := range args {
		if i == 1 && (strings.HasPrefix(arg, "?") || strings.HasPrefix(arg, "#")) {
			l, err := session.ParseLink(arg)
			if err != nil {
				return false, sides, err
			}
			l.File = links[0].File
			links[1] = l
			continue
		}
		if links[i], err = parseArg(arg); err != nil {
			return false, sides, err
		}
	}
	if isStdin(links[0].File) && isStdin(links[1].File) && links[0].File != "" && !strings.HasPrefix(args[1], "?") && !strings.HasPrefix(args[1], "#") {
		return false, sides, usagef("standard input can be read once; write the second link without a file")
	}
	var data [2][]byte
	for i := range links {
		if i == 1 && links[1].File == links[0].File {
			data[1] = data[0]
			continue
		}
		if data[i], err = a.read(links[i].File); err != nil {
			return false, sides, err
		}
	}
	if isPackage(data[0]) || isPackage(data[1]) {
		return true, sides, nil
	}
	for i := range links {
		s := sides[0].Session
		if i == 0 || links[1].File != links[0].File {
			if s, err = a.openData(links[i], data[i]); err != nil {
				return false, sides, err
			}
		}
		t, err := s.Resolve(links[i])
		if err != nil {
			return false, sides, err
		}
		if t.Instr >= 0 {
			return false, sides, usagef("diff compares stages: leave the instruction out of %s", links[i].Inside())
		}
		sides[i] = views.DiffSide{Session: s, Perm: t.Perm, Passes: t.Passes, Stage: t.Stage}
	}
	return false, sides, nil
}

func (a *app) diffLinks(ctx context.Context, sides [2]views.DiffSide, in string) error {
	form := slices.Index(views.DiffForms[:], in)
	if form < 0 {
		return usagef("--in %s: use dxbc, ssa, wgsl or bindings", in)
	}
	d, err := views.ComparePerms(ctx, sides[0], sides[1], views.DiffForm(form))
	if err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(docOfLinks(d)); err != nil {
			return err
		}
	} else {
		a.print("%s", d.Unified())
		for i := range d.Sections {
			if s := &d.Sections[i]; s.Status == views.DiffUnavailable {
				a.problem("%s cannot be compared in this form; %s", s.Name, s.Why)
			}
		}
	}
	if !d.Equal() || !d.Complete() {
		return errRefused
	}
	return nil
}

func sideLink(s *views.DiffSide) string {
	return linkOf(s.Session, session.Target{Perm: s.Perm, Passes: s.Passes, Stage: s.Stage, Instr: -1})
}

func docOfLinks(d *views.PermDiff) *linksDiffDoc {
	out := &linksDiffDoc{Schema: "fxlens.diff-links/1", A: sideLink(&d.A), B: sideLink(&d.B), Form: d.Form, Equal: d.Equal(), Complete: d.Complete(), Sections: []sectionDoc{}}
	for i := range d.Sections {
		s := &d.Sections[i]
		doc := sectionDoc{Name: s.Name, Status: s.Status, Why: s.Why, Hunks: []hunkDoc{}}
		if s.Diff != nil {
			doc.Added, doc.Removed, doc.Renamed = s.Diff.Added, s.Diff.Removed, s.Diff.Renamed
			for _, h := range s.Diff.Hunks {
				hd := hunkDoc{h.Old + 1, h.OldRows, h.New + 1, h.NewRows, []string{}}
				for r := h.Row; r < h.Row+h.Rows; r++ {
					hd.Lines = append(hd.Lines, s.Diff.Row(r))
				}
				doc.Hunks = append(doc.Hunks, hd)
			}
		}
		out.Sections = append(out.Sections, doc)
	}
	return out
}
