package carbon

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

// maxFindings bounds what one run lists.
const maxFindings = 500

// InvalidError is a container that breaks rules.
type InvalidError struct {
	Findings []diag.Diag // all of them, with at least one of severity Error
}

func (e *InvalidError) Error() string {
	n, first := 0, ""
	for _, d := range e.Findings {
		if d.Sev == diag.Error {
			if n++; n == 1 {
				first = fmt.Sprintf("%s [%s]", d.Text, d.Code)
				if at := d.At.String(); at != "" {
					first = at + ": " + first
				}
			}
		}
	}
	if n > 1 {
		return fmt.Sprintf("invalid container: %d findings, the first: %s", n, first)
	}
	return "invalid container: " + first
}

// Open returns a container that breaks no rule, or an *[InvalidError] with all findings.
func Open(b []byte) (*File, error) {
	f, ds := Validate(b, Detect)
	if diag.HasErrors(ds) {
		return nil, &InvalidError{Findings: ds}
	}
	return f, nil
}

// Validate checks a container by every rule and returns what it found, errors
// first. The file is nil where its records cannot be read. Blocks for other engines
// and passes without a block are warnings: the container carries them, only a view
// of WebGPU does not.
func Validate(b []byte, refs References) (f *File, findings []diag.Diag) {
	defer func() {
		if r := recover(); r != nil {
			f = nil
			findings = append(findings, diag.New(diag.Error, ruleInvalid, diag.Loc{}, "the validator failed, which is a bug of ours: %v\n%s", r, debug.Stack()))
		}
	}()
	f, err := Parse(b, refs)
	if err != nil {
		code, at := ruleInvalid, diag.Loc{}
		var e *Error
		if errors.As(err, &e) {
			if errors.Is(e, ErrAmbiguous) {
				code = ruleAmbiguous
			}
			if e.Offset >= 0 {
				at = diag.AtOffset(e.Offset)
			}
		}
		return nil, []diag.Diag{diag.New(diag.Error, code, at, "%v", err)}
	}
	v := &validator{f: f, budget: 4 * len(f.Data), blocks: map[ref]*blockFact{}, programs: map[ref]string{}}
	v.header()
	for i := range f.Bodies {
		v.body(i)
	}
	v.layout()
	slices.SortStableFunc(v.found, func(a, b diag.Diag) int { return cmp.Compare(b.Sev, a.Sev) })
	return f, v.found
}

type blockFact struct {
	block *Block // nil for foreign ones, and where err is set
	err   error
}

type validator struct {
	f      *File
	found  []diag.Diag
	budget int // bytes of programs and blocks that may still be read

	blocks   map[ref]*blockFact
	programs map[ref]string // why a program is no WGSL, or ""
}

func (v *validator) add(sev diag.Severity, code diag.Code, at diag.Loc, format string, args ...any) {
	switch n := len(v.found); {
	case n < maxFindings:
		v.found = append(v.found, diag.New(sev, code, at, format, args...))
	case n == maxFindings:
		v.found = append(v.found, diag.New(diag.Note, ruleMore, diag.Loc{}, "there are more than %d findings", maxFindings))
	}
	if sev == diag.Error && len(v.found) > maxFindings && !diag.HasErrors(v.found) {
		v.found[0] = diag.New(sev, code, at, format, args...) // a refusal is never left out
	}
}

func (v *validator) header() {
	e := v.f.Effect
	if e.CompilerVersion != CompilerVersion {
		v.add(diag.Note, ruleCompilerVersion, diag.AtOffset(4), "the compiler version is %s", e.CompilerVersionString())
	}
	if e.SourceHash != ZeroHash && e.SourceHash != contentHash(v.f.Data) {
		v.add(diag.Note, ruleHash, diag.AtOffset(8), "the hash is %q", e.SourceHash)
	}
}

// contentHash is the digest that a writer may put in place of the zeros: of the
// file with zeros there.
func contentHash(b []byte) string {
	h := sha256.New()
	h.Write(b[:8])
	h.Write([]byte(ZeroHash))
	h.Write(b[40:])
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// spend takes n bytes from the budget.
func (v *validator) spend(n int) bool {
	if v.budget < 0 {
		return false
	}
	if v.budget -= n; v.budget < 0 {
		v.add(diag.Error, ruleBlockBudget, diag.Loc{}, "programs and blocks overlap, or their bindings repeat beyond measure: they come to more than %d bytes, in a file of %d", 4*len(v.f.Data), len(v.f.Data))
		return false
	}
	return true
}

func (v *validator) body(i int) {
	body, err := v.f.content(i)
	if err != nil {
		v.add(diag.Error, ruleInvalid, diag.Loc{}, "%s: %v", v.f.Bodies[i].Key, err)
		return
	}
	b := &v.f.Bodies[i]
	base := diag.Loc{Permutation: v.f.Effect.OptionString(b.Permutations[0])}
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		name := lenient(tech.Name)
		if n := len(tech.Libraries); n > 0 {
			v.add(diag.Error, ruleLibrary, base.InStage(name, 0, ""), "technique %q has %d libraries", clip(name), n)
		}
		for p := range tech.Passes {
			v.pass(b, base.InStage(name, p, ""), t, p, &tech.Passes[p])
		}
	}
}

func (v *validator) pass(b *Body, at diag.Loc, t, p int, pass *effect.Pass) {
	var stages []string
	programs, source := 0, false
	for i := range pass.Stages {
		s := &pass.Stages[i]
		if len(s.Program) == 0 {
			continue
		}
		programs++
		in := at.InStage(at.Technique, p, s.Type.Short())
		word, ok := webStages[s.Type]
		if !ok {
			v.add(diag.Error, ruleProgramStage, in, "the %s stage has a program of %d bytes", s.Type, len(s.Program))
			continue
		}
		stages = append(stages, word)
		if bytes.HasPrefix(s.Program, []byte("DXBC")) {
			source = true
			v.add(diag.Error, ruleSourceEffect, in, "the program of the %s stage is Direct3D bytecode, %d bytes", s.Type, len(s.Program))
			continue
		}
		v.program(s, in, word)
	}
	if programs > 0 && programs < len(pass.Stages) {
		v.add(diag.Warning, rulePartial, at, "%d of %d stages have a program", programs, len(pass.Stages))
	}
	data := b.Block(t, p)
	if data == nil {
		if programs > 0 && !source {
			v.add(diag.Warning, ruleBlockMissing, at, "the pass has programs and no block")
		}
		return
	}
	v.block(b, data, at, t, p, stages)
}

func (v *validator) program(s *effect.Stage, at diag.Loc, word string) {
	key := ref{uint32(len(s.Program)), s.ProgramOffset}
	why, known := v.programs[key]
	if !known {
		if !v.spend(len(s.Program)) {
			return
		}
		switch i := invalidText(s.Program); {
		case i >= 0:
			why = fmt.Sprintf("byte %d of the program is not text", i)
		case !hasMain(string(s.Program)):
			why = "main"
		}
		v.programs[key] = why
	}
	switch why {
	case "":
	case "main":
		v.add(diag.Warning, ruleEntryPoint, at, "the program has no function main, which is what every program's entry point is called (@%s)", word)
	default:
		v.add(diag.Error, ruleProgramText, at, "%s", why)
	}
}

// invalidText returns the first byte that is no UTF-8, or a control character that
// WGSL does not have, or -1.
func invalidText(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 || r == 0 {
			return i
		}
		i += n
	}
	return -1
}

// hasMain looks for "fn main" outside of line comments.
func hasMain(code string) bool {
	for line := range strings.Lines(code) {
		line, _, _ = strings.Cut(line, "//")
		for {
			i := strings.Index(line, "fn")
			if i < 0 {
				break
			}
			rest := strings.TrimLeft(line[i+2:], " \t")
			if len(rest) < len(line[i+2:]) && strings.HasPrefix(rest, "main") {
				if after := strings.TrimLeft(rest[4:], " \t\r\n"); after == "" || after[0] == '(' {
					return true
				}
			}
			line = line[i+2:]
		}
	}
	return false
}

func (v *validator) block(b *Body, data []byte, at diag.Loc, t, p int, stages []string) {
	key := b.reference(t, p)
	fact := v.blocks[key]
	if fact == nil {
		if !v.spend(len(data)) {
			return
		}
		fact = &blockFact{}
		if native(data) {
			fact.block, fact.err = ParseBlock(data)
		}
		v.blocks[key] = fact
	}
	switch {
	case fact.err != nil:
		v.add(diag.Error, ruleBlock, at, "the block of %d bytes at %d of the string table: %v", len(data), key.off, fact.err)
	case fact.block == nil:
		v.add(diag.Warning, ruleBlockForeign, at, "the block of %d bytes is for %s", len(data), engineName(data[0]))
	default:
		if fact.block.Lead == EngineWebGL2 {
			v.add(diag.Note, ruleBlockLead, at, "the lead byte of the block is 1")
		}
		if n := countSlots(fact.block); !v.spend(64 * n) {
			return
		}
		_, _, problems := restore(fact.block, at.Technique, p, stages)
		for _, q := range problems {
			sev, code := diag.Error, ruleBlockBinding
			if q.transform {
				code = ruleBlockTransform
			}
			if q.warning {
				sev = diag.Warning
			}
			v.add(sev, code, at, "%s: %s", q.path, q.text)
		}
	}
}

func countSlots(b *Block) int {
	n := 0
	for i := range b.Groups {
		n += len(b.Groups[i].Slots)
	}
	return n
}

// native reports whether a block is for WebGPU, by its lead byte.
func native(block []byte) bool {
	return len(block) > 0 && (block[0] == EngineWebGPU || block[0] == EngineWebGL2)
}

func engineName(lead byte) string {
	if int(lead) < len(engineNames) {
		return fmt.Sprintf("engine %d (%s)", lead, engineNames[lead])
	}
	return fmt.Sprintf("an unknown engine %d", lead)
}

// layout compares the file with what a writer would make of its content.
func (v *validator) layout() {
	if v.budget < 0 {
		return
	}
	again, err := v.f.Rewrite()
	switch {
	case err != nil:
		v.add(diag.Note, ruleLayout, diag.Loc{}, "a writer would refuse the content: %v", err)
	case !bytes.Equal(again, v.f.Data):
		i := 0
		for i < min(len(again), len(v.f.Data)) && again[i] == v.f.Data[i] {
			i++
		}
		v.add(diag.Note, ruleLayout, diag.AtOffset(i), "a writer would make %d bytes of it, which differ from byte %d on", len(again), i)
	}
}

// blockAt reads the block of a pass for a view of WebGPU, which needs it.
func (f *File) blockAt(b *Body, technique string, t, p int) (*Block, *diag.Diag) {
	at := diag.Loc{Permutation: f.Effect.OptionString(b.Permutations[0])}.InStage(technique, p, "")
	refuse := func(code diag.Code, format string, args ...any) (*Block, *diag.Diag) {
		d := diag.New(diag.Error, code, at, format, args...)
		return nil, &d
	}
	data := b.Block(t, p)
	switch {
	case data == nil:
		return refuse(ruleBlockMissing, "pass %s has no block: there is no binding layout", passKey(technique, p))
	case !native(data):
		return refuse(ruleBlockForeign, "the block of pass %s is for %s", passKey(technique, p), engineName(data[0]))
	}
	block, err := ParseBlock(data)
	if err != nil {
		return refuse(ruleBlock, "the block of pass %s: %v", passKey(technique, p), err)
	}
	return block, nil
}

// Translation returns the modules and the layout of a pass of body number body. It
// returns no pass and no diagnostic where the pass is not translated (it has no
// programs), and an error-level diagnostic where it has programs that cannot be
// used: the block is missing, for another engine, or impossible.
func (f *File) Translation(body, technique, pass int) (*Pass, []diag.Diag) {
	content, err := f.content(body)
	if err != nil || technique < 0 || technique >= len(content.Techniques) || pass < 0 || pass >= len(content.Techniques[technique].Passes) {
		return nil, []diag.Diag{diag.New(diag.Error, ruleInvalid, diag.Loc{}, "no pass %d of technique %d in body %d", pass, technique, body)}
	}
	b := &f.Bodies[body]
	name := lenient(content.Techniques[technique].Name)
	stages := byType(content.Techniques[technique].Passes[pass].Stages)
	var words []string
	for _, s := range stages {
		if len(s.Program) == 0 {
			return nil, nil
		}
		word, ok := webStages[s.Type]
		if !ok || bytes.HasPrefix(s.Program, []byte("DXBC")) || invalidText(s.Program) >= 0 {
			return nil, []diag.Diag{diag.New(diag.Error, ruleProgramText, diag.Loc{}.InStage(name, pass, s.Type.Short()), "the program of the %s stage is no WGSL of WebGPU", s.Type)}
		}
		words = append(words, word)
	}
	if len(stages) == 0 {
		return nil, nil
	}
	block, refusal := f.blockAt(b, name, technique, pass)
	if refusal != nil {
		return nil, []diag.Diag{*refusal}
	}
	out := &Pass{}
	var problems []problem
	out.Layout, out.Transforms, problems = restore(block, name, pass, words)
	at := diag.Loc{Permutation: f.Effect.OptionString(b.Permutations[0])}.InStage(name, pass, "")
	var ds []diag.Diag
	for _, q := range problems {
		sev, code := diag.Error, ruleBlockBinding
		if q.transform {
			code = ruleBlockTransform
		}
		if q.warning {
			sev = diag.Warning
		}
		ds = append(ds, diag.New(sev, code, at, "%s: %s", q.path, q.text))
	}
	if diag.HasErrors(ds) {
		return nil, ds
	}
	for i, s := range stages {
		sh := cewgpu.Shader{Key: out.Layout.Key + "." + s.Type.String(), TechniqueName: name, PassIndex: pass, StageName: s.Type.String(),
			Stage: words[i], StageType: int(s.Type), EntryPoint: "main", Code: string(s.Program), SourceMap: []cewgpu.MapLine{}}
		if s.Type == effect.Compute {
			sh.ThreadGroupSize = []uint32{s.ThreadGroup[0], s.ThreadGroup[1], s.ThreadGroup[2]}
		}
		out.Shaders = append(out.Shaders, sh)
	}
	return out, ds
}

// byType returns the stages in ascending order of type, as documents list them.
func byType(stages []effect.Stage) []*effect.Stage {
	out := make([]*effect.Stage, len(stages))
	for i := range stages {
		out[i] = &stages[i]
	}
	slices.SortStableFunc(out, func(a, b *effect.Stage) int { return cmp.Compare(a.Type, b.Type) })
	return out
}
