package cewgpu

import (
	"context"
	"strconv"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

// Profile says which readers a package is for.
type Profile string

// The profiles.
const (
	// Strict packages hold only what other readers of the format accept, and carry
	// the producer's name that those readers compare literally.
	Strict Profile = "strict"
	// Extended packages have a marker of their own, which other readers take for a
	// generic container, and carry what strict cannot.
	Extended Profile = "extended"
)

// OptionSource says who chose an axis's option.
type OptionSource string

// The sources.
const (
	FromDefault OptionSource = "default"
	FromLocal   OptionSource = "local"  // the request
	FromGlobal  OptionSource = "global" // a process-wide override
)

// Order says how techniques are sorted in the WGSL chunk. ANLS keeps the effect's order.
type Order string

// The orders.
const (
	// CodePoint compares names code point by code point.
	CodePoint Order = "code-point"
	// Root compares names as the root collation does: punctuation, digits, letters
	// without accent and case; then accents; then lower before upper case. The first
	// producer of the format sorts so. It covers ASCII and the accented letters of
	// Latin-1 and Latin Extended-A; others come last, by code point.
	Root Order = "root"
)

// Identity is what the caller knows about the source file; everything is optional.
type Identity struct {
	LogicalPath string // default: the label
	Game        string
	Client      string
	Build       string
	MD5         string // 32 lower-case hex digits
	SHA256      string // compared with the source's
}

// Selection restricts the WGSL chunk to a technique, or to one pass of it. Graph,
// reflection and analysis stay whole.
type Selection struct {
	Technique string
	Pass      *int     // nil: every pass of the technique
	Stages    []string // empty, or all stages of the pass: vertex, pixel, compute
}

// PassRef names a pass of a body.
type PassRef struct {
	Technique string // raw name
	TechIndex int
	Pass      int
}

func (r PassRef) key() string { return lenient(r.Technique) + ".pass" + strconv.Itoa(r.Pass) }

// Module is one translated stage.
type Module struct {
	Stage      layout.Stage
	EntryPoint string
	Code       string
	Workgroup  [3]uint32 // compute
	SourceMap  []MapLine // ascending lines; may be empty
	Requires   Requires  // beyond WebGPU's defaults; written by the extended profile alone
	Premises   []Premise // what the module takes for granted; written by the extended profile alone
}

// PassModules is one translated pass: a module for each of its stages and the
// binding plan that all of them were made from.
type PassModules struct {
	Plan       *layout.Plan
	Modules    []Module
	Transforms []ResourceTransform
	Diags      []diag.Diag // warnings and notes of the translation; written by the extended profile alone
}

// Unsupported is a pass that cannot be translated. A Translate function returns it
// to say so; every other error ends the build.
type Unsupported struct {
	Reason string      // one line
	Diags  []diag.Diag // the refusals, each with its remedy
	// Likely, if not nil, is what the pass would be once the caller has said what it
	// has to: a strict package lists in one run what it could not carry of it either.
	Likely *PassModules
}

func (u *Unsupported) Error() string { return u.Reason }

// Progress receives the number of distinct passes translated so far and the number
// there are. It is called from one goroutine at a time.
type Progress func(done, total int)

// Input is everything that a package is made from.
type Input struct {
	Effect *effect.Effect
	Label  string // the source label in INFO, META, ANLS and RFLX; default "memory". Never an absolute path of this machine
	// OutputPath is stored in INFO as it is; empty means null.
	OutputPath string
	Identity   Identity

	Permutation int                     // the selected one
	Sources     map[string]OptionSource // by axis name; absent: default where the option is the default, else local

	// AllowPartial lets the first permutation whose passes are all translated stand in
	// for a selected one that a strict package cannot have; the report says so.
	AllowPartial bool

	Mode      Mode    // default Selected
	Profile   Profile // default Strict
	Order     Order   // default CodePoint
	Selection *Selection

	// Version is the semantic version that the package gives as the producer's and
	// translator's; default "0.0.0".
	Version string
	// Producer, if not nil, is written into INFO as an extra key that readers ignore,
	// with the order of techniques that was used.
	Producer *Producer
	// RuntimeResource writes the producer's name of the later generation of
	// readers; those of the earlier one then refuse the package, and the reverse.
	RuntimeResource bool

	// Translate returns the modules of a pass. It may be called from several
	// goroutines, once for each pass that differs in content.
	Translate func(ctx context.Context, perm int, pass PassRef) (*PassModules, error)
	Progress  Progress
	Workers   int // default GOMAXPROCS
}

// Report says what was built.
type Report struct {
	Size          int           `json:"size"`
	SHA256        string        `json:"sha256"`
	Profile       Profile       `json:"profile"`
	Mode          Mode          `json:"mode"`
	Order         Order         `json:"techniqueOrder"`
	Permutation   int           `json:"permutation"`
	Chunks        []ChunkSize   `json:"chunks"`
	Qualification Qualification `json:"qualification"`
	Passes        []PassReport  `json:"passes"`           // of the selected body
	Bodies        []BodyReport  `json:"bodies,omitempty"` // mode all
	Sharing       *Sharing      `json:"sharing,omitempty"`
	Findings      []Finding     `json:"findings,omitempty"` // warnings and notes of reading the result back
}

// Qualification is what the format's own build result says about a package.
type Qualification struct {
	OK                         bool   `json:"ok"`
	Level                      string `json:"level"`
	Validator                  string `json:"validator"`
	Mode                       Mode   `json:"mode"`
	PackageValid               bool   `json:"packageValid"`
	SourceComplete             bool   `json:"sourceComplete"`
	BackendComplete            bool   `json:"backendComplete"`
	RuntimeComplete            bool   `json:"runtimeComplete"`
	SelectedStageCount         int    `json:"selectedStageCount"`
	ShaderCount                int    `json:"shaderCount"`
	LayoutCount                int    `json:"layoutCount"`
	BackendBodyCount           *int   `json:"backendBodyCount,omitempty"`
	BackendTranslatedBodyCount *int   `json:"backendTranslatedBodyCount,omitempty"`
	BackendPassUnitCount       *int   `json:"backendPassUnitCount,omitempty"`
	NativeComparison           bool   `json:"nativeComparison"`
}

// PassReport is one pass of a body and why it has no modules, if so.
type PassReport struct {
	Key    string `json:"key"`
	Unit   string `json:"unit,omitempty"` // mode all
	Reason string `json:"reason,omitempty"`
}

// BodyReport is one unique body in mode all.
type BodyReport struct {
	Key          string       `json:"key"`
	Permutations int          `json:"permutations"`
	Translated   bool         `json:"translated"`
	Reason       string       `json:"reason,omitempty"` // the first failing pass's
	Passes       []PassReport `json:"passes"`
}

// Sharing says what sharing units between bodies saves.
type Sharing struct {
	Passes int `json:"passes"` // passes of translated bodies
	Units  int `json:"units"`  // distinct ones
	Bytes  int `json:"bytes"`  // WGSL text of the units
	Saved  int `json:"saved"`  // WGSL text that more units would take
}
