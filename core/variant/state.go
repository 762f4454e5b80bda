package variant

import (
	"fmt"
	"slices"
	"strings"
)

// The formats and functions of WebGPU's pipelines, by its names. Blending is named by
// whoever owns the pass, so it is not checked.
var (
	targetFormats = strings.Fields(`r8unorm r8snorm r8uint r8sint r16unorm r16snorm r16uint r16sint r16float
		rg8unorm rg8snorm rg8uint rg8sint r32uint r32sint r32float rg16unorm rg16snorm rg16uint rg16sint rg16float
		rgba8unorm rgba8unorm-srgb rgba8snorm rgba8uint rgba8sint bgra8unorm bgra8unorm-srgb rgb10a2uint rgb10a2unorm
		rg11b10ufloat rg32uint rg32sint rg32float rgba16unorm rgba16snorm rgba16uint rgba16sint rgba16float
		rgba32uint rgba32sint rgba32float`)
	depthFormats = []string{"stencil8", "depth16unorm", "depth24plus", "depth24plus-stencil8", "depth32float", "depth32float-stencil8"}
	compares     = []string{"never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"}
)

// Validate says what is wrong with a target, or nothing: its format is none that a colour
// target may have.
func (t Target) Validate() error {
	if !slices.Contains(targetFormats, t.Format) {
		return fmt.Errorf("a colour target cannot have the format %q; it has one such as rgba16float", t.Format)
	}
	return nil
}

// Validate says what is wrong with a depth and stencil state, or nothing: the format, or
// the comparison, which may be empty.
func (d *DepthStencil) Validate() error {
	if !slices.Contains(depthFormats, d.Format) {
		return fmt.Errorf("the depth format %q is none of %s", d.Format, strings.Join(depthFormats, ", "))
	}
	if d.Compare != "" && !slices.Contains(compares, d.Compare) {
		return fmt.Errorf("the comparison %q is none of %s", d.Compare, strings.Join(compares, ", "))
	}
	return nil
}
