package qualify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"fxlens/core/compile"
)

// Schema names the form of reports. The number grows when a key changes its meaning or
// goes; new keys alone do not change it.
const Schema = "fxlens.qualify/1"

// ErrNoEffect marks a file that a matrix cannot be made of.
var ErrNoEffect = errors.New("not a compiled effect")

// ErrReport marks bytes that are no report of a version that this program reads.
var ErrReport = errors.New("not a qualification report")

// Head is the part of a report in front of its files.
type Head struct {
	Schema   string   `json:"schema"`
	Version  string   `json:"version"` // of fxlens
	Scope    string   `json:"scope"`   // all permutations, or default
	Packages bool     `json:"packages"`
	Options  []string `json:"options"` // as on the command line
	Brief    bool     `json:"brief"`   // files without bodies, units and programs
	Shard    string   `json:"shard,omitempty"`
}

// NewHead returns the head of a run's report.
func NewHead(opt *Options, brief bool, shard Shard) Head {
	h := Head{Schema: Schema, Version: opt.Version, Scope: "all", Packages: opt.Package != nil, Options: optionWords(&opt.Compile), Brief: brief}
	if opt.DefaultOnly {
		h.Scope = "default"
	}
	if shard.N > 1 {
		h.Shard = shard.String()
	}
	return h
}

func optionWords(o *compile.Options) []string {
	out := []string{}
	if o.Numeric != 0 {
		out = append(out, "numeric=exact")
	}
	if o.Strict {
		out = append(out, "strict")
	}
	if o.Limits {
		out = append(out, "limits=default")
	}
	if o.ConservativeDepth {
		out = append(out, "conservative-depth")
	}
	for _, k := range sortedKeys(o.Views) {
		out = append(out, "view="+k+"="+o.Views[k])
	}
	for _, k := range sortedKeys(o.Classes) {
		out = append(out, "class="+k+"="+o.Classes[k])
	}
	return out
}

// Writer writes a report as it grows: one line a file, so that reports differ where
// files do. The summary comes last.
type Writer struct {
	w     *bufio.Writer
	brief bool
	sum   Summarizer
	n     int
	line  bytes.Buffer
}

// NewWriter writes the head of a report.
func NewWriter(w io.Writer, h Head) (*Writer, error) {
	out := &Writer{w: bufio.NewWriterSize(w, 1<<16), brief: h.Brief}
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	out.w.WriteByte('{')
	out.w.Write(safe(b[1 : len(b)-1]))
	_, err = out.w.WriteString(",\n\"files\":[\n")
	return out, err
}

// Add writes a file. Files must come in the order of their paths.
func (w *Writer) Add(f *File) error {
	w.sum.Add(f)
	if w.n > 0 {
		w.w.WriteString(",\n")
	}
	w.n++
	w.line.Reset()
	e := json.NewEncoder(&w.line)
	e.SetEscapeHTML(false)
	var doc any = f
	if w.brief {
		doc = f.Row()
	}
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("report: %s: %w", f.Path, err)
	}
	_, err := w.w.Write(safe(bytes.TrimRight(w.line.Bytes(), "\n")))
	return err
}

// safe escapes unprintable characters, which can only be inside strings, so that looking
// at a report is as harmless as reading it.
func safe(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x7f }) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			a, z := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, a, z)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}

// Close writes the rest of the report and returns the summary. It does not close the
// writer below.
func (w *Writer) Close() (*Summary, error) {
	s := w.sum.Summary()
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(struct {
		Summary   *Summary `json:"summary"`
		NotProved []string `json:"notProved"`
	}{s, NotProved()}); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	w.w.WriteString("\n],\n")
	w.w.Write(safe(bytes.TrimLeft(buf.Bytes(), "{\n")))
	return s, w.w.Flush()
}

// Read reads a report and gives its files to visit, in order, one at a time. It fails,
// wrapping ErrReport, on what is no report.
func Read(r io.Reader, visit func(*Row) error) (*Head, *Summary, error) {
	brief := false
	return read(r, func(h *Head) error {
		brief = h.Brief
		return nil
	}, func(raw json.RawMessage) error {
		row := new(Row)
		if brief {
			if err := json.Unmarshal(raw, row); err != nil {
				return fmt.Errorf("%w: %w", ErrReport, err)
			}
			return visit(row)
		}
		var f File
		if err := json.Unmarshal(raw, &f); err != nil {
			return fmt.Errorf("%w: %w", ErrReport, err)
		}
		if err := f.valid(); err != nil {
			return err
		}
		return visit(f.Row())
	})
}

// valid checks the references inside a file of a report that somebody else wrote.
func (f *File) valid() error {
	for _, b := range f.Bodies {
		for _, p := range b.Passes {
			if p.Unit < 0 || p.Unit >= len(f.Units) {
				return fmt.Errorf("%w: a pass of %s refers to unit %d of %d", ErrReport, b.Key, p.Unit, len(f.Units))
			}
		}
	}
	return nil
}

func readFull(r io.Reader, started func(*Head) error, visit func(*File) error) (*Head, *Summary, error) {
	brief := false
	return read(r, func(h *Head) error {
		brief = h.Brief
		if started != nil {
			return started(h)
		}
		return nil
	}, func(raw json.RawMessage) error {
		if brief {
			return fmt.Errorf("%w: a brief report does not hold what is needed here; write a full one", ErrReport)
		}
		var f File
		if err := json.Unmarshal(raw, &f); err != nil {
			return fmt.Errorf("%w: %w", ErrReport, err)
		}
		if err := f.valid(); err != nil {
			return err
		}
		return visit(&f)
	})
}

// read calls started with the head and visit with each file.
func read(r io.Reader, started func(*Head) error, visit func(json.RawMessage) error) (*Head, *Summary, error) {
	bad := func(err error) (*Head, *Summary, error) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<16))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return bad(cmpErr(err, errors.New("it is no JSON object")))
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return bad(err)
		}
		key, _ := t.(string)
		if key != "files" {
			var v json.RawMessage
			if err := d.Decode(&v); err != nil {
				return bad(err)
			}
			fields[key] = v
			continue
		}
		var schema string
		if json.Unmarshal(fields["schema"], &schema) != nil || schema != Schema {
			return bad(fmt.Errorf("the schema is %.40q, not %s", schema, Schema))
		}
		if started != nil {
			h := new(Head)
			if err := remarshal(fields, h); err != nil {
				return bad(err)
			}
			if err := started(h); err != nil {
				return nil, nil, err
			}
		}
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return bad(cmpErr(err, errors.New("files is no list")))
		}
		last := ""
		for n := 0; d.More(); n++ {
			var v json.RawMessage
			if err := d.Decode(&v); err != nil {
				return bad(err)
			}
			var p struct {
				Path string `json:"path"`
			}
			if err := json.Unmarshal(v, &p); err != nil {
				return bad(err)
			}
			if n > 0 && p.Path <= last {
				return bad(fmt.Errorf("files are not in the order of their paths: %q after %q", p.Path, last))
			}
			last = p.Path
			if err := visit(v); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", p.Path, err)
			}
		}
		if _, err := d.Token(); err != nil {
			return bad(err)
		}
	}
	if _, err := d.Token(); err != nil {
		return bad(err)
	}
	if fields["summary"] == nil {
		return bad(errors.New("it has no summary: the run that wrote it did not end"))
	}
	head, sum := new(Head), new(Summary)
	if err := remarshal(fields, head); err != nil {
		return bad(err)
	}
	if err := json.Unmarshal(fields["summary"], sum); err != nil {
		return bad(err)
	}
	return head, sum, nil
}

// remarshal reads fields of an object into v.
func remarshal(fields map[string]json.RawMessage, v any) error {
	all, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return json.Unmarshal(all, v)
}

func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Same reports whether two heads are of the same kind of run, shards aside, and why not.
func (h *Head) Same(o *Head) error {
	switch {
	case h.Version != o.Version:
		return fmt.Errorf("one is of fxlens %s, the other of %s", h.Version, o.Version)
	case h.Scope != o.Scope:
		return fmt.Errorf("one has the scope %s, the other %s", h.Scope, o.Scope)
	case h.Packages != o.Packages:
		return errors.New("one has packages built, the other not")
	case h.Brief != o.Brief:
		return errors.New("one is brief, the other full")
	case strings.Join(h.Options, " ") != strings.Join(o.Options, " "):
		return fmt.Errorf("one has the options %q, the other %q", h.Options, o.Options)
	}
	return nil
}
