package graph

import (
	"encoding/hex"

	"fxlens/core/diag"
	"fxlens/core/session"
)

// Schema names the form of the graph document.
const Schema = "fxlens.graph/1"

// Document is a graph as JSON: what `fxlens graph FILE --json` prints.
type Document struct {
	Schema       string        `json:"schema"`
	Link         string        `json:"link"` // of the file
	FileSHA256   string        `json:"fileSha256"`
	Counts       Counts        `json:"counts"`
	Axes         []DocAxis     `json:"axes"`
	Bodies       []DocBody     `json:"bodies"`
	Passes       []DocPass     `json:"passes"`
	Permutations []Permutation `json:"permutations"` // by index
}

// Counts are how much there is.
type Counts struct {
	Permutations int `json:"permutations"`
	Bodies       int `json:"bodies"`
	Passes       int `json:"passes"`
	Units        int `json:"units"`    // of all passes
	Contents     int `json:"contents"` // units of different passes may be equal
}

// DocAxis is one axis. The first axis of a graph varies fastest over the permutations.
type DocAxis struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Default     string   `json:"default"`
	Options     []string `json:"options"`
}

// DocBody is one body with the permutations that share it.
type DocBody struct {
	Letter       string   `json:"letter"`
	Key          string   `json:"key"` // "body0", as in other documents
	SHA256       string   `json:"sha256"`
	Size         int      `json:"size"`
	Permutations []int    `json:"permutations"`
	Options      []string `json:"options"` // axis by axis; "*" is every option
	Exact        bool     `json:"exact"`   // false: options name more permutations than there are
	Units        []string `json:"units"`   // letter in each pass, "" where it lacks the pass
	Status       Mark     `json:"status"`
}

// DocPass is one pass over all permutations.
type DocPass struct {
	Name   string            `json:"name"`
	Axes   []string          `json:"axes"`   // that change its code
	States []string          `json:"states"` // that change only its states, samplers or defaults
	Absent int               `json:"absent"` // permutations without it
	Units  []DocUnit         `json:"units"`
	Matter map[string]string `json:"influence"` // of every axis: code, states or -
}

// DocUnit is one content of a pass.
type DocUnit struct {
	Letter       string      `json:"letter"`
	Content      int         `json:"content"`
	Link         string      `json:"link"` // in the first permutation that has it
	Permutations int         `json:"permutations"`
	Bodies       []string    `json:"bodies"`
	Cost         Cost        `json:"cost"`
	Status       Mark        `json:"status"`
	Errors       int         `json:"errors"`
	Warnings     int         `json:"warnings"`
	Codes        []diag.Code `json:"codes"`
	Reason       string      `json:"reason,omitempty"`
}

// Permutation is one permutation: its options as indices, its body, and its status.
type Permutation struct {
	Index   int    `json:"index"`
	Options []int  `json:"options"`
	Body    string `json:"body"`
	Status  Mark   `json:"status"`
}

// Document makes the document of a linked graph. Units without a result are pending.
func (g *Graph) Document(s *session.Session, r Results) *Document {
	d := &Document{
		Schema: Schema, Link: session.FileLink(s.Name).String(), FileSHA256: hex.EncodeToString(s.SHA256[:]),
		Counts: Counts{g.Permutations(), g.Bodies(), len(g.Passes), len(g.Units), g.Contents},
		Axes:   []DocAxis{}, Bodies: []DocBody{}, Passes: []DocPass{}, Permutations: make([]Permutation, g.Permutations()),
	}
	for i := range g.Axes {
		a := &g.Axes[i]
		d.Axes = append(d.Axes, DocAxis{a.Name, a.Description, a.Options[a.Default], a.Options})
	}
	marks := make([]Mark, g.Bodies())
	for b, u := range g.e.Bodies() {
		marks[b] = g.Mark(r, u.Permutations[0], -1)
		body := DocBody{Letter: Letters(b), Key: u.Key, SHA256: hex.EncodeToString(u.SHA256[:]), Size: u.Size, Permutations: u.Permutations,
			Units: make([]string, len(g.Passes)), Status: marks[b]}
		body.Options, body.Exact = g.Options(u.Permutations)
		for p := range g.Passes {
			if n := g.UnitOfBody(b, p); n >= 0 {
				body.Units[p] = g.Units[n].Letter
			}
		}
		d.Bodies = append(d.Bodies, body)
	}
	f := NewFinder(g, s)
	for i := range g.Passes {
		d.Passes = append(d.Passes, g.docPass(s, f, r, &g.Passes[i]))
	}
	for p := range d.Permutations {
		b := g.Body(p)
		d.Permutations[p] = Permutation{p, g.e.Choice(p), Letters(b), marks[b]}
	}
	return d
}

func (g *Graph) docPass(s *session.Session, f *Finder, r Results, p *Pass) DocPass {
	out := DocPass{Name: p.Name, Axes: []string{}, States: []string{}, Absent: p.Absent, Units: []DocUnit{}, Matter: map[string]string{}}
	for a, inf := range p.Axes {
		name := g.Axes[a].Name
		out.Matter[name] = inf.String()
		switch inf {
		case Code:
			out.Axes = append(out.Axes, name)
		case States:
			out.States = append(out.States, name)
		}
	}
	for _, n := range p.Units {
		u := &g.Units[n]
		du := DocUnit{Letter: u.Letter, Content: u.Content, Link: s.Link(u.Perm, u.Ref, "", -1).String(), Permutations: u.Permutations,
			Bodies: []string{}, Cost: f.Of(n).Cost, Status: MarkOf(r.Of(n)), Codes: []diag.Code{}}
		for _, b := range u.Bodies {
			du.Bodies = append(du.Bodies, Letters(b))
		}
		if res := r.Of(n); res != nil {
			du.Errors, du.Warnings, du.Reason = res.Errors, res.Warnings, res.Reason
			du.Codes = append(du.Codes, res.Codes...)
			if res.Err != "" {
				du.Reason = res.Err
			}
		}
		out.Units = append(out.Units, du)
	}
	return out
}
