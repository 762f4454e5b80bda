package effect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fxlens/core/diag"
)

// InspectionSchema names the form of the inspect document. The number grows when a
// key changes its meaning or goes; new keys alone do not change it.
const InspectionSchema = "fxlens.inspect/1"

// Inspection is everything that an effect says, as one document. Its JSON is what
// `fxlens inspect FILE --json` prints; the keys and their order are part of the
// product. Equal stages of all bodies are one entry of Stages, to which passes refer.
type Inspection struct {
	Schema             string             `json:"schema"`
	File               string             `json:"file"`
	FileSize           int                `json:"fileSize"`
	FileSHA256         string             `json:"fileSha256"`
	Version            uint32             `json:"version"`
	CompilerVersion    *string            `json:"compilerVersion"` // null before version 15
	SourceHash         *string            `json:"sourceHash"`      // null before version 15
	StringTableSize    int                `json:"stringTableSize"`
	StringTableOffset  int                `json:"stringTableOffset"`
	Axes               []InspectedAxis    `json:"axes"`
	PermutationCount   int                `json:"permutationCount"`
	DefaultPermutation int                `json:"defaultPermutation"`
	DefaultOptions     string             `json:"defaultOptions"`
	UniqueBodies       int                `json:"uniqueBodies"`
	UniquePrograms     []InspectedProgram `json:"uniquePrograms"`
	Stages             []*InspectedStage  `json:"stages"`
	Bodies             []InspectedBody    `json:"bodies"`
	Counts             InspectedCounts    `json:"counts"`
	Lacks              []InspectedLack    `json:"lacks"` // what later versions say and this one cannot
	Findings           []diag.Diag        `json:"findings"`
}

// InspectedCounts sums what the unique bodies hold.
type InspectedCounts struct {
	Techniques   int            `json:"techniques"`
	Passes       int            `json:"passes"`
	Libraries    int            `json:"libraries"`
	Stages       map[string]int `json:"stages"`       // by stage name; JSON sorts the keys
	ProgramBytes int            `json:"programBytes"` // of the unique programs
}

// InspectedLack is one change of the format after the file's version.
type InspectedLack struct {
	Since   uint32 `json:"since"`
	Lacks   string `json:"lacks"`
	Instead string `json:"instead"`
}

// InspectedAxis is one axis.
type InspectedAxis struct {
	Name         string   `json:"name"`
	Description  string   `json:"description"`
	Type         uint8    `json:"type"`
	TypeName     string   `json:"typeName"`
	Default      string   `json:"default"`
	DefaultIndex int      `json:"defaultIndex"`
	Options      []string `json:"options"`
}

// InspectedProgram is one distinct program.
type InspectedProgram struct {
	SHA256      string      `json:"sha256"`
	Size        int         `json:"size"`
	Kind        ProgramKind `json:"kind"`
	ShaderModel string      `json:"shaderModel,omitempty"`
}

// InspectedStage is one distinct stage.
type InspectedStage struct {
	Stage           string           `json:"stage"`
	BytecodeSize    int              `json:"bytecodeSize"`
	BytecodeSHA256  string           `json:"bytecodeSha256"`
	BytecodeOffset  uint32           `json:"bytecodeOffset"` // in the string table
	ThreadGroupSize [3]uint32        `json:"threadGroupSize"`
	PipelineInputs  []InspectedInput `json:"pipelineInputs"`
	InspectedBindings
	InspectedData
}

// InspectedInput is one pipeline input.
type InspectedInput struct {
	Usage     string `json:"usage"`
	UsageCode uint8  `json:"usageCode"`
	Semantic  string `json:"semantic"`
	Register  uint8  `json:"register"`
	Index     uint8  `json:"index"`
	Mask      uint8  `json:"mask"`
	Type      uint8  `json:"type"`
	TypeName  string `json:"typeName"`
	Dimension uint8  `json:"dimension"`
}

// InspectedBindings is a register list.
type InspectedBindings struct {
	Registers      []InspectedRegister      `json:"registers"`
	StaticSamplers []InspectedStaticSampler `json:"staticSamplers"`
}

// InspectedRegister is one bound register or range.
type InspectedRegister struct {
	Type     uint8  `json:"type"`
	TypeName string `json:"typeName"`
	Index    uint32 `json:"index"`
	Count    uint32 `json:"count"`
	Space    uint8  `json:"space"`
}

// InspectedSamplerState is what both kinds of sampler share.
type InspectedSamplerState struct {
	Comparison     bool      `json:"comparison"`
	MinFilter      uint8     `json:"minFilter"`
	MagFilter      uint8     `json:"magFilter"`
	MipFilter      uint8     `json:"mipFilter"`
	AddressU       uint8     `json:"addressU"`
	AddressV       uint8     `json:"addressV"`
	AddressW       uint8     `json:"addressW"`
	MipLODBias     jsonFloat `json:"mipLODBias"`
	MaxAnisotropy  uint8     `json:"maxAnisotropy"`
	ComparisonFunc uint8     `json:"comparisonFunc"`
}

// InspectedStaticSampler is one static sampler.
type InspectedStaticSampler struct {
	Index uint32 `json:"index"`
	Space uint8  `json:"space"`
	InspectedSamplerState
	BorderColor uint8     `json:"borderColor"`
	MinLOD      jsonFloat `json:"minLOD"`
	MaxLOD      jsonFloat `json:"maxLOD"`
}

// InspectedData is what the engine sets by name.
type InspectedData struct {
	Constants   []InspectedConstant   `json:"constants"`
	Defaults    InspectedDefaults     `json:"defaults"`
	Resources   []InspectedResource   `json:"resources"`
	Samplers    []InspectedSampler    `json:"samplers"`
	UAVs        []InspectedUAV        `json:"uavs"`
	Annotations []InspectedAnnotation `json:"annotations"`
}

// InspectedConstant is one constant.
type InspectedConstant struct {
	Name           string `json:"name"`
	Offset         uint32 `json:"offset"`
	Size           uint32 `json:"size"`
	Type           string `json:"type"`
	Dimension      uint8  `json:"dimension"`
	Elements       uint32 `json:"elements"`
	IsSRGB         bool   `json:"isSRGB"`
	IsAutoregister bool   `json:"isAutoregister"`
}

// InspectedDefaults are the initial bytes of constant buffer 0. Where a hostile file
// repeats them so often that the document would be much larger than the file, Hex is
// cut and Truncated set.
type InspectedDefaults struct {
	Size      int    `json:"size"`
	Hex       string `json:"hex"`
	Truncated bool   `json:"truncated,omitempty"`
}

// InspectedResource is one texture or buffer.
type InspectedResource struct {
	Register       uint8  `json:"register"`
	Name           string `json:"name"`
	Type           uint8  `json:"type"`
	TypeName       string `json:"typeName"`
	ArrayElements  uint32 `json:"arrayElements"`
	IsSRGB         bool   `json:"isSRGB"`
	IsAutoregister bool   `json:"isAutoregister"`
}

// InspectedSampler is one sampler. Name is null unless the sampler is dynamic, as
// the engine sees it; FileName is what the file stores.
type InspectedSampler struct {
	Register uint8   `json:"register"`
	Name     *string `json:"name"`
	FileName string  `json:"fileName"`
	InspectedSamplerState
	BorderColor [4]jsonFloat `json:"borderColor"`
	MinLOD      jsonFloat    `json:"minLOD"`
	MaxLOD      jsonFloat    `json:"maxLOD"`
	IsDynamic   bool         `json:"isDynamic"`
}

// InspectedUAV is one unordered access view.
type InspectedUAV struct {
	Register       uint8  `json:"register"`
	Name           string `json:"name"`
	Type           uint8  `json:"type"`
	TypeName       string `json:"typeName"`
	ArrayElements  uint32 `json:"arrayElements"`
	IsAutoregister bool   `json:"isAutoregister"`
}

// InspectedAnnotation is one annotation: Value is a boolean, number or string, or
// the raw number for a type that is not known; Raw is absent for strings.
type InspectedAnnotation struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Value any     `json:"value"`
	Raw   *uint32 `json:"raw,omitempty"`
}

// InspectedBody is one unique body with the permutations that share it.
type InspectedBody struct {
	Key                  string               `json:"key"`
	Permutations         []int                `json:"permutations"`
	Options              string               `json:"options"` // of the first permutation
	Offset               int                  `json:"offset"`
	Size                 int                  `json:"size"`
	SHA256               string               `json:"sha256"`
	Techniques           []InspectedTechnique `json:"techniques"`
	ParameterAnnotations []InspectedGroup     `json:"parameterAnnotations"`
}

// InspectedTechnique is one technique. Libraries is absent where there are none.
type InspectedTechnique struct {
	Name      string             `json:"name"`
	Passes    []InspectedPass    `json:"passes"`
	Libraries []InspectedLibrary `json:"libraries,omitempty"`
}

// InspectedPass is one pass: Stages are numbers of Inspection.Stages by ascending
// stage type, FileOrder the stage names in the order of the file.
type InspectedPass struct {
	FileOrder  []string         `json:"fileOrder"`
	Stages     []int            `json:"stages"`
	States     [][2]uint32      `json:"states"`
	StateNames []InspectedState `json:"stateNames,omitempty"`
}

// InspectedState is a render state in words.
type InspectedState struct {
	State string `json:"state"`
	Value string `json:"value"`
}

// InspectedLibrary is one ray tracing library.
type InspectedLibrary struct {
	PayloadSize    uint32                `json:"payloadSize"`
	BytecodeSize   int                   `json:"bytecodeSize"`
	BytecodeSHA256 string                `json:"bytecodeSha256"`
	Exports        []InspectedExport     `json:"exports"`
	HitGroupName   string                `json:"hitGroupName"`
	GlobalInput    InspectedLibraryInput `json:"globalInput"`
	LocalInput     InspectedLibraryInput `json:"localInput"`
}

// InspectedLibraryInput is one of a library's two inputs.
type InspectedLibraryInput struct {
	InspectedBindings
	InspectedData
}

// InspectedExport is one entry point of a library.
type InspectedExport struct {
	Type     uint8  `json:"type"`
	TypeName string `json:"typeName"`
	Name     string `json:"name"`
}

// InspectedGroup is the annotations of one parameter.
type InspectedGroup struct {
	Name        string                `json:"name"`
	Annotations []InspectedAnnotation `json:"annotations"`
}

// jsonFloat prints a single as the shortest double with its value; JSON has no
// infinities and NaNs, so these print as a string of the bits: "0x7fc00000".
type jsonFloat Bits

// MarshalJSON implements json.Marshaler.
func (f jsonFloat) MarshalJSON() ([]byte, error) {
	v := float64(Bits(f).Float())
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, "%q", fmt.Sprintf("0x%08x", uint32(f))), nil
	}
	return json.Marshal(v)
}

// UnmarshalJSON reads the number or the bits back.
func (f *jsonFloat) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		v, err := strconv.ParseUint(s, 0, 32)
		*f = jsonFloat(v)
		return err
	}
	var v float64
	err := json.Unmarshal(b, &v)
	*f = jsonFloat(FloatBits(float32(v)))
	return err
}

// inspector collects the pools while it walks the bodies.
type inspector struct {
	e        *Effect
	out      *Inspection
	stages   map[string]int // by document
	records  map[string]int // by record, which spares making the document again
	programs map[string]bool
	digests  map[[2]uint32]string // of programs, by offset and size
	budget   int                  // bytes of defaults that may still be printed
}

// Inspect returns the document for an effect; file is its "file" value, which the
// caller chooses. Texts that are no UTF-8 lose that in JSON, not here.
func (e *Effect) Inspect(file string) *Inspection {
	in := &inspector{
		e: e, stages: map[string]int{}, records: map[string]int{}, programs: map[string]bool{}, digests: map[[2]uint32]string{},
		budget: 64*e.Size + 1<<20,
		out: &Inspection{
			Schema: InspectionSchema, File: file, FileSize: e.Size, FileSHA256: hex.EncodeToString(e.SHA256[:]),
			Version: e.Version, StringTableSize: len(e.StringTable), StringTableOffset: e.StringTableOffset,
			PermutationCount: e.PermutationCount(), DefaultPermutation: e.DefaultIndex(),
			DefaultOptions: e.OptionString(e.DefaultIndex()), UniqueBodies: len(e.bodies),
			Axes: []InspectedAxis{}, UniquePrograms: []InspectedProgram{}, Stages: []*InspectedStage{}, Bodies: []InspectedBody{},
			Counts: InspectedCounts{Stages: map[string]int{}},
		},
	}
	o := in.out
	if e.Version >= 15 {
		v, hash := e.CompilerVersionString(), e.SourceHash
		o.CompilerVersion, o.SourceHash = &v, &hash
	}
	for _, a := range e.Axes {
		o.Axes = append(o.Axes, InspectedAxis{a.Name, a.Description, a.Type, AxisTypeName(a.Type), a.Options[a.Default], a.Default, a.Options})
	}
	for i := range e.bodies {
		b, err := e.UniqueBody(i)
		if err != nil {
			continue // cannot be: Parse checked the body
		}
		o.Bodies = append(o.Bodies, in.body(&e.bodies[i], b))
	}
	for _, s := range o.Stages {
		o.Counts.Stages[s.Stage]++
	}
	o.Lacks = each(e.Lacks(), func(c VersionChange) InspectedLack { return InspectedLack{c.Version, c.Added, c.Before} })
	o.Findings = each(e.AllFindings(), func(d diag.Diag) diag.Diag { return d })
	return o
}

// CompilerVersionString returns "1.2.6.0", or "" before version 15.
func (e *Effect) CompilerVersionString() string {
	if e.Version < 15 {
		return ""
	}
	v := e.CompilerVersion
	return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3])
}

// each maps a list; the result is never nil, so that JSON prints [] and not null.
func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

func (in *inspector) body(u *UniqueBody, b *Body) InspectedBody {
	out := InspectedBody{
		Key: u.Key, Permutations: u.Permutations, Options: in.e.OptionString(u.Permutations[0]),
		Offset: u.Offset, Size: u.Size, SHA256: hex.EncodeToString(u.SHA256[:]),
	}
	out.Techniques = each(b.Techniques, func(t Technique) InspectedTechnique {
		in.out.Counts.Techniques++
		in.out.Counts.Passes += len(t.Passes)
		in.out.Counts.Libraries += len(t.Libraries)
		return InspectedTechnique{t.Name, each(t.Passes, in.pass), each(t.Libraries, in.library)}
	})
	out.ParameterAnnotations = each(b.Groups, func(g ParameterGroup) InspectedGroup {
		return InspectedGroup{g.Name, each(g.Annotations, inspectAnnotation)}
	})
	return out
}

func (in *inspector) pass(p Pass) InspectedPass {
	out := InspectedPass{
		FileOrder:  each(p.Stages, func(s Stage) string { return s.Type.String() }),
		States:     each(p.States, func(s RenderState) [2]uint32 { return [2]uint32{s.State, s.Value} }),
		StateNames: each(p.States, func(s RenderState) InspectedState { return InspectedState{s.Name(), s.ValueName()} }),
	}
	order := make([]*Stage, len(p.Stages))
	for i := range p.Stages {
		order[i] = &p.Stages[i]
	}
	slices.SortFunc(order, func(a, b *Stage) int { return int(a.Type) - int(b.Type) })
	out.Stages = each(order, in.stage)
	return out
}

// program enters a program into the pool and returns its digest.
func (in *inspector) program(p []byte, off uint32) string {
	key := [2]uint32{off, uint32(len(p))}
	sum, ok := in.digests[key]
	if !ok {
		s := sha256.Sum256(p)
		sum = hex.EncodeToString(s[:])
		in.digests[key] = sum
	}
	if !in.programs[sum] {
		in.programs[sum] = true
		info := LookAtProgram(p)
		in.out.UniquePrograms = append(in.out.UniquePrograms, InspectedProgram{sum, len(p), info.Kind, info.Model()})
		in.out.Counts.ProgramBytes += len(p)
	}
	return sum
}

// stage returns the number of the stage in the pool.
func (in *inspector) stage(s *Stage) int {
	w := &encoder{}
	w.stage(s)
	n, ok := in.records[string(w.b)]
	if !ok {
		n = in.newStage(s)
		in.records[string(w.b)] = n
	}
	return n
}

// newStage enters a stage whose record is new; its document may not be.
func (in *inspector) newStage(s *Stage) int {
	out := &InspectedStage{
		Stage: s.Type.String(), BytecodeSize: len(s.Program), BytecodeSHA256: in.program(s.Program, s.ProgramOffset),
		BytecodeOffset: s.ProgramOffset, ThreadGroupSize: s.ThreadGroup,
		PipelineInputs: each(s.Inputs, func(p PipelineInput) InspectedInput {
			return InspectedInput{p.Usage.String(), uint8(p.Usage), p.Usage.Semantic(), p.Register, p.Index, p.Mask, uint8(p.Type), p.Type.String(), p.Dimension}
		}),
		InspectedBindings: inspectBindings(&s.Bindings),
		InspectedData:     in.data(&s.StageData),
	}
	// Two stages are one if their documents are equal.
	key, err := json.Marshal(out)
	if err != nil {
		key = strconv.AppendInt(nil, int64(len(in.out.Stages)), 10) // cannot be: all values marshal
	}
	n, ok := in.stages[string(key)]
	if !ok {
		n = len(in.out.Stages)
		in.stages[string(key)] = n
		in.out.Stages = append(in.out.Stages, out)
	}
	return n
}

func inspectBindings(b *Bindings) InspectedBindings {
	return InspectedBindings{
		Registers: each(b.Registers, func(r Register) InspectedRegister {
			return InspectedRegister{uint8(r.Type), r.Type.String(), r.Index, r.Count, r.Space}
		}),
		StaticSamplers: each(b.StaticSamplers, func(s StaticSampler) InspectedStaticSampler {
			return InspectedStaticSampler{s.Index, s.Space, inspectState(&s.SamplerState), uint8(s.BorderColor), jsonFloat(s.MinLOD), jsonFloat(s.MaxLOD)}
		}),
	}
}

func inspectState(s *SamplerState) InspectedSamplerState {
	return InspectedSamplerState{
		s.Comparison, uint8(s.MinFilter), uint8(s.MagFilter), uint8(s.MipFilter),
		uint8(s.AddressU), uint8(s.AddressV), uint8(s.AddressW), jsonFloat(s.MipLODBias), s.MaxAnisotropy, uint8(s.ComparisonFunc),
	}
}

func (in *inspector) data(s *StageData) InspectedData {
	out := InspectedData{
		Constants: each(s.Constants, func(c Constant) InspectedConstant {
			return InspectedConstant{c.Name, c.Offset, c.Size, c.Type.String(), c.Dimension, c.Elements, c.IsSRGB, c.IsAutoregister}
		}),
		Resources: each(s.Textures, func(t Texture) InspectedResource {
			return InspectedResource{t.Register, t.Name, uint8(t.Type), t.Type.String(), t.Elements, t.IsSRGB, t.IsAutoregister}
		}),
		Samplers: each(s.Samplers, func(t Sampler) InspectedSampler {
			o := InspectedSampler{Register: t.Register, FileName: t.Name, InspectedSamplerState: inspectState(&t.SamplerState),
				MinLOD: jsonFloat(t.MinLOD), MaxLOD: jsonFloat(t.MaxLOD), IsDynamic: t.IsDynamic}
			if t.IsDynamic {
				o.Name = &t.Name
			}
			for i, c := range t.BorderColor {
				o.BorderColor[i] = jsonFloat(c)
			}
			return o
		}),
		UAVs: each(s.UAVs, func(u UAV) InspectedUAV {
			return InspectedUAV{u.Register, u.Name, uint8(u.Type), u.Type.String(), u.Elements, u.IsAutoregister}
		}),
		Annotations: each(s.Annotations, inspectAnnotation),
	}
	show := min(len(s.Defaults), in.budget)
	in.budget -= show
	out.Defaults = InspectedDefaults{len(s.Defaults), hex.EncodeToString(s.Defaults[:show]), show < len(s.Defaults)}
	return out
}

func inspectAnnotation(a Annotation) InspectedAnnotation {
	out := InspectedAnnotation{Name: a.Name, Type: a.Type.String()}
	if a.Type == AnnotationString {
		out.Value = a.Text
		return out
	}
	out.Raw = &a.Raw
	switch a.Type {
	case AnnotationBool:
		out.Value = a.Bool()
	case AnnotationInt:
		out.Value = a.Int()
	case AnnotationFloat:
		out.Value = jsonFloat(a.Raw)
	default:
		out.Value = a.Raw
	}
	return out
}

func (in *inspector) library(l Library) InspectedLibrary {
	input := func(i *LibraryInput) InspectedLibraryInput {
		return InspectedLibraryInput{inspectBindings(&i.Bindings), in.data(&i.StageData)}
	}
	return InspectedLibrary{
		PayloadSize: l.PayloadSize, BytecodeSize: len(l.Program), BytecodeSHA256: in.program(l.Program, l.ProgramOffset),
		Exports: each(l.Exports, func(x Export) InspectedExport {
			return InspectedExport{uint8(x.Type), x.Type.String(), x.Name}
		}),
		HitGroupName: l.HitGroupName, GlobalInput: input(&l.Global), LocalInput: input(&l.Local),
	}
}
