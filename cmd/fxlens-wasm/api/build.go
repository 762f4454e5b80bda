package api

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

func digest(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// built is what buildEffect returns; bytes is a Uint8Array beside it, and side is one
// for a Carbon WebGPU container.
type built struct {
	Format string         `json:"format"` // cewgpu or carbon
	Size   int            `json:"size"`
	SHA256 string         `json:"sha256"`
	Report *cewgpu.Report `json:"report"`         // of the package, from which a container is made too
	Lost   []carbon.Loss  `json:"lost,omitempty"` // what the container cannot say
}

// build makes a package of an effect. link may select a technique or a pass.
func (c *call) build() error {
	switch {
	case c.o.Mode != "" && c.o.Mode != string(cewgpu.Selected) && c.o.Mode != string(cewgpu.All):
		return input("mode is %q; it is selected or all", c.o.Mode)
	case c.o.Profile != "" && c.o.Profile != string(cewgpu.Strict) && c.o.Profile != string(cewgpu.Extended):
		return input("profile is %q; it is strict or extended", c.o.Profile)
	case c.o.Order != "" && c.o.Order != string(cewgpu.CodePoint) && c.o.Order != string(cewgpu.Root):
		return input("order is %q; it is code-point or root", c.o.Order)
	case c.o.Format != "" && c.o.Format != "cewgpu" && c.o.Format != "carbon":
		return input("format is %q; it is cewgpu or carbon", c.o.Format)
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	if s.Kind != session.EffectFile {
		return input("%s is a %s, and only a compiled effect can be packaged", s.Name, s.Kind)
	}
	t, err := c.target(s)
	if err != nil {
		return err
	}
	if t.Stage != "" || t.Instr >= 0 {
		return input("a package holds whole passes: leave the stage out of %s", c.o.Link)
	}
	o := session.PackageOptions{Perm: t.Perm, Mode: cewgpu.Mode(c.o.Mode), Profile: cewgpu.Profile(c.o.Profile), Order: cewgpu.Order(c.o.Order), Label: c.o.Label, Version: Version}
	if l, err := session.ParseLink(c.o.Link); err == nil && l.HasTechnique() {
		o.Passes = t.Passes
	}
	format := session.CEWGPU
	if c.o.Format != "" {
		format = session.Format(c.o.Format)
	}
	out, err := s.Export(c.ctx, format, o)
	if err != nil {
		return err
	}
	if out.Side != nil {
		c.out.blob(out.Side, "side")
	}
	c.out.blob(out.Data, "bytes")
	c.out.Value = built{Format: string(format), Size: len(out.Data), SHA256: digest(out.Data), Report: out.Report, Lost: out.Lost}
	return nil
}

// modules is what buildWgsl returns.
type modules struct {
	Modules []module    `json:"modules"`
	Layouts []groups    `json:"layouts"` // of the passes that have modules
	Refused []diag.Diag `json:"refused"` // with partial: why the others have none
}

// module is one stage.
type module struct {
	Link          string        `json:"link"`
	Technique     string        `json:"technique"`
	Pass          int           `json:"pass"`
	Stage         string        `json:"stage"` // vertex, fragment, compute
	EntryPoint    string        `json:"entryPoint"`
	Code          string        `json:"code"`
	WorkgroupSize *[3]uint32    `json:"workgroupSize,omitempty"`
	IO            []wgsl.IO     `json:"io"`
	Requires      wgsl.Requires `json:"requires"`
	Diagnostics   []diag.Diag   `json:"diagnostics"`
}

// groups is the binding layout of one pass: each element is a
// GPUBindGroupLayoutDescriptor.
type groups struct {
	Technique string             `json:"technique"`
	Pass      int                `json:"pass"`
	Groups    []group            `json:"groups"`
	Bindings  [][]layout.Binding `json:"bindings"` // the same slots with names and registers, parallel
}

type group struct {
	Entries []entry `json:"entries"`
}

// entry is a GPUBindGroupLayoutEntry.
type entry struct {
	Binding        int                    `json:"binding"`
	Visibility     int                    `json:"visibility"` // GPUShaderStage bits
	Buffer         *layout.Buffer         `json:"buffer,omitempty"`
	Texture        *layout.Texture        `json:"texture,omitempty"`
	Sampler        *layout.SamplerState   `json:"sampler,omitempty"`
	StorageTexture *layout.StorageTexture `json:"storageTexture,omitempty"`
}

// wgsl translates what is selected. A pass is translated whole or not at all.
func (c *call) wgsl() error {
	s, err := c.session()
	if err != nil {
		return err
	}
	t, err := c.target(s)
	if err != nil {
		return err
	}
	v := modules{Modules: []module{}, Layouts: []groups{}, Refused: []diag.Diag{}}
	for _, ref := range t.Passes {
		pass, err := s.Compile(c.ctx, t.Perm, ref)
		if err != nil {
			return err
		}
		if pass.Status != compile.Translated || pass.Plan == nil {
			v.Refused = append(v.Refused, s.Diags(t.Perm, ref, pass)...)
			continue
		}
		for _, st := range pass.Stages {
			m := st.Module
			if m == nil || t.Stage != "" && st.Kind.String() != t.Stage {
				continue
			}
			out := module{Link: s.Link(t.Perm, ref, st.Kind.String(), -1).String(), Technique: ref.Technique, Pass: ref.Pass, Stage: m.Stage.String(),
				EntryPoint: m.EntryPoint, Code: m.Code, IO: append([]wgsl.IO{}, m.IO...), Diagnostics: []diag.Diag{},
				Requires: wgsl.Requires{Features: append([]string{}, m.Requires.Features...), Language: append([]string{}, m.Requires.Language...), Limits: map[string]int{}}}
			for k, n := range m.Requires.Limits {
				out.Requires.Limits[k] = n
			}
			if m.Stage == layout.Compute {
				out.WorkgroupSize = &m.Workgroup
			}
			for _, d := range st.Diags {
				out.Diagnostics = append(out.Diagnostics, s.Place(t.Perm, ref, st.Kind.String(), d))
			}
			v.Modules = append(v.Modules, out)
		}
		v.Layouts = append(v.Layouts, layoutOf(ref, pass.Plan))
	}
	if diag.HasErrors(v.Refused) && !c.o.Partial {
		return &refused{v.Refused}
	}
	c.out.Value = v
	return nil
}

func layoutOf(ref session.PassRef, p *layout.Plan) groups {
	out := groups{Technique: ref.Technique, Pass: ref.Pass, Groups: []group{}, Bindings: [][]layout.Binding{}}
	n := 0
	for i := range p.Bindings {
		n = max(n, p.Bindings[i].Group+1)
	}
	for g := range n {
		one, same := group{Entries: []entry{}}, []layout.Binding{}
		for i := range p.Bindings {
			b := &p.Bindings[i]
			if b.Group != g {
				continue
			}
			e := entry{Binding: b.Binding, Buffer: b.Buffer, Texture: b.Texture, Sampler: b.Sampler, StorageTexture: b.Storage}
			for _, st := range []layout.Stage{layout.Vertex, layout.Fragment, layout.Compute} {
				if slices.Contains(b.Visibility, st) {
					e.Visibility |= 1 << st
				}
			}
			one.Entries, same = append(one.Entries, e), append(same, *b)
		}
		out.Groups, out.Bindings = append(out.Groups, one), append(out.Bindings, same)
	}
	return out
}
