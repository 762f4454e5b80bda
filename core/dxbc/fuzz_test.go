package dxbc

import (
	"errors"
	"slices"
	"testing"
)

// seeds adds a few bundled files.
func seeds(f *testing.F, part func(*Shader, []byte) []byte) {
	n := 0
	for _, path := range filesUnder(f, goldenDirs()[0], hasSuffix(".dxbc")) {
		if n++; n%6 != 0 {
			continue
		}
		b := mustRead(f, path)
		s, err := Open(b)
		if err != nil {
			f.Fatal(err)
		}
		if p := part(s, b); p != nil {
			f.Add(p)
		}
	}
}

// typed fails when err is neither nil nor of the package's own type.
func typed(t *testing.T, err error) {
	t.Helper()
	var e *Error
	var a *AsmError
	if err != nil && !errors.As(err, &e) && !errors.As(err, &a) {
		t.Fatalf("untyped error %T: %v", err, err)
	}
}

func FuzzContainer(f *testing.F) {
	seeds(f, func(_ *Shader, b []byte) []byte { return b })
	f.Fuzz(func(t *testing.T, b []byte) {
		typed(t, exercise(b))
		Sniff(b)
		for _, e := range Scan(b) {
			if _, err := Parse(b[e.Offset : e.Offset+e.Size]); err != nil {
				typed(t, err)
			}
		}
		if c, err := Parse(b); err == nil {
			if _, err := Build(c.Chunks, false); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzRDEF(f *testing.F) {
	seeds(f, func(s *Shader, _ []byte) []byte {
		if c := s.Container.Chunk("RDEF"); c != nil {
			return c.Data
		}
		return nil
	})
	ret, err := Decode(program(0x50, 0x0100003e))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRDEF(b)
		typed(t, err)
		if err != nil {
			return
		}
		Disassemble(&Shader{Program: ret, RDEF: r}, ListOptions{})
		for bind := range uint32(4) {
			for off := uint32(0); off < 256; off += 4 {
				r.VariableAt(bind, off)
			}
		}
	})
}

func FuzzSignature(f *testing.F) {
	seeds(f, func(s *Shader, _ []byte) []byte { return s.Container.Chunk("ISGN", "ISG1").Data })
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, tag := range []string{"ISGN", "OSG5", "ISG1", "XXXX"} {
			s, err := ParseSignature(tag, b)
			typed(t, err)
			if err != nil {
				continue
			}
			if _, err := ParseSignature(tag, s.Bytes()); err != nil {
				t.Fatalf("%s: what we wrote cannot be read: %v", tag, err)
			}
		}
		_, err := ParseStat(b)
		typed(t, err)
		_, err = ParseInterfaces(b)
		typed(t, err)
		_, err = ParseArrays(b)
		typed(t, err)
	})
}

func FuzzProgram(f *testing.F) {
	seeds(f, func(s *Shader, _ []byte) []byte { return s.Code.Data })
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodeWith(b, DecodeOptions{Tolerant: true})
		typed(t, err)
		if err != nil {
			return
		}
		at := uint32(2)
		for i := range p.Instrs {
			if p.Instrs[i].Offset != at {
				t.Fatalf("instruction %d at %d, not %d", i, p.Instrs[i].Offset, at)
			}
			at += p.Instrs[i].Length
		}
		if int(at) != len(p.Words) {
			t.Fatalf("instructions end at %d of %d", at, len(p.Words))
		}
		s := Shader{Program: p}
		s.Check()
		p.Listing(ListOptions{})
		if _, err := Decode(b); err != nil {
			return
		}
		// What is decoded strictly is carried whole by an exact listing.
		text := p.Listing(ListOptions{Exact: true})
		got, err := AssembleProgram(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !slices.Equal(got.Words, p.Words) {
			t.Fatalf("assembled differently:\n%s", text)
		}
	})
}

func FuzzAssemble(f *testing.F) {
	n := 0
	for _, path := range filesUnder(f, goldenDirs()[0], hasSuffix(".asm")) {
		if n++; n%6 == 0 {
			f.Add(string(mustRead(f, path)))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Assemble(text, nil)
		typed(t, err)
		if err != nil {
			return
		}
		s, err := Open(b)
		if err != nil {
			t.Fatalf("what we assembled cannot be opened: %v", err)
		}
		s.Check()
		Disassemble(s, ListOptions{})
	})
}
