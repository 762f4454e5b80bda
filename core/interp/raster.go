package interp

import (
	"context"
	"fmt"
	"math"

	"fxlens/core/dxbc"
)

// RasterVertex is a vertex behind the vertex stage.
type RasterVertex struct {
	Position [4]float32 // clip space
	// Attr has the pixel program's input registers.
	Attr map[uint32][4]uint32
	// Clip are clip distances: where one is negative nothing is drawn.
	Clip []float32
}

// Cull says which triangles are left out.
type Cull uint8

// The cull modes.
const (
	CullNone Cull = iota
	CullFront
	CullBack
)

// Draw is a list of triangles and the state around the pixel program.
type Draw struct {
	Vertices  []RasterVertex
	Triangles [][3]int
	// Viewport is x, y, width, height, least and greatest depth.
	Viewport  [6]float32
	Cull      Cull
	FrontCCW  bool
	DepthClip bool
	// Targets are written by o# of the same number; nil is a gap. All textures
	// of a draw have one size and sample count.
	Targets    []*Texture
	Depth      *Texture
	DepthFunc  Compare
	DepthWrite bool
	Width      int
	Height     int
	Samples    int // 1 if 0
	// Amend, when not nil, may change the inputs of each batch of quads before it runs.
	// Batches come in drawing order.
	Amend func(b *Batch) error
	// Shade, when not nil, takes the place of the program: it gets the batches of
	// quads that would run, and nothing is written.
	Shade func(b *Batch) error
}

// rasterizer draws one triangle after the other.
type rasterizer struct {
	d       *Draw
	p       *Program
	env     *Env
	opt     Options
	interps map[uint32][4]dxbc.Interpolation
	system  map[uint32][4]uint32 // system values by component, 0 none
	samples [][2]int             // in 1/256 of a pixel from the corner
	perSamp bool
	report  *Report
}

// Rasterize runs a pixel program over triangles, one after the other, by the rules
// of Direct3D 11: coordinates snap to 1/256 of a pixel, top-left edges belong to a
// triangle, depth is tested behind the program unless it forces the early test.
// Targets and depth of d, and the UAVs of env, change in place.
func Rasterize(ctx context.Context, p *Program, env *Env, d *Draw, opt Options) (*Report, error) {
	rep := &Report{}
	if p.Kind != dxbc.Pixel {
		return rep, &Error{-1, 0, fmt.Errorf("%w: %s program where a pixel program should be", ErrUnsupported, p.Kind)}
	}
	r := &rasterizer{d: d, p: p, env: env, opt: opt, interps: map[uint32][4]dxbc.Interpolation{}, system: map[uint32][4]uint32{}, report: rep}
	if d.Width <= 0 || d.Height <= 0 || d.Width > 16384 || d.Height > 16384 {
		return rep, &Error{-1, 0, fmt.Errorf("%w: an image of %d x %d", ErrMalformed, d.Width, d.Height)}
	}
	n := max(d.Samples, 1)
	pat, ok := samplePositions[n]
	if !ok {
		return rep, &Error{-1, 0, fmt.Errorf("%w: %d samples", ErrUnsupported, n)}
	}
	for _, s := range pat {
		r.samples = append(r.samples, [2]int{128 + s[0]*16, 128 + s[1]*16})
	}
	r.declarations()
	for _, t := range d.Triangles {
		if err := ctx.Err(); err != nil {
			return rep, fmt.Errorf("interp: %w", err)
		}
		for _, i := range t {
			if i < 0 || i >= len(d.Vertices) {
				return rep, &Error{-1, 0, fmt.Errorf("%w: vertex %d of %d", ErrMalformed, i, len(d.Vertices))}
			}
		}
		if err := r.triangle(ctx, t); err != nil {
			return rep, err
		}
	}
	return rep, nil
}

// declarations reads interpolation modes and system values of the inputs.
func (r *rasterizer) declarations() {
	for i := range r.p.Shader.Program.Instrs {
		in := &r.p.Shader.Program.Instrs[i]
		switch in.Op {
		case dxbc.OpDclInput, dxbc.OpDclInputSgv, dxbc.OpDclInputSiv, dxbc.OpDclInputPs, dxbc.OpDclInputPsSgv, dxbc.OpDclInputPsSiv:
		default:
			continue
		}
		o := &in.Operands[0]
		if o.Reg != dxbc.RegInput {
			continue
		}
		modes, sys := r.interps[o.Index(0).Imm], r.system[o.Index(0).Imm]
		for k := range 4 {
			if o.Mask>>k&1 != 0 {
				modes[k], sys[k] = in.Decl.Interp, in.Decl.SysName
				if in.Decl.Interp == dxbc.InterpUndefined {
					modes[k] = dxbc.InterpConstant
				}
			}
		}
		r.interps[o.Index(0).Imm], r.system[o.Index(0).Imm] = modes, sys
		switch in.Decl.Interp {
		case dxbc.InterpLinearSample, dxbc.InterpLinearNoPerspectiveSample:
			r.perSamp = true
		}
		if in.Decl.SysName == 10 {
			r.perSamp = true
		}
	}
}

// corner is a vertex of a clipped triangle: its position and its place in the
// triangle as weights of the three vertices.
type corner struct {
	pos    [4]float64
	weight [3]float64
}

// clip cuts a polygon at the plane where f is zero.
func clip(poly []corner, f func(c *corner) float64) []corner {
	var out []corner
	for i := range poly {
		a, b := &poly[i], &poly[(i+1)%len(poly)]
		fa, fb := f(a), f(b)
		if fa >= 0 {
			out = append(out, *a)
		}
		if fa >= 0 != (fb >= 0) {
			t := fa / (fa - fb)
			var c corner
			for k := range 4 {
				c.pos[k] = a.pos[k] + t*(b.pos[k]-a.pos[k])
			}
			for k := range 3 {
				c.weight[k] = a.weight[k] + t*(b.weight[k]-a.weight[k])
			}
			out = append(out, c)
		}
	}
	return out
}

func (r *rasterizer) triangle(ctx context.Context, t [3]int) error {
	d := r.d
	poly := make([]corner, 3)
	for i := range poly {
		for k := range 4 {
			x := float64(d.Vertices[t[i]].Position[k])
			if x != x || math.IsInf(x, 0) {
				return nil
			}
			poly[i].pos[k] = x
		}
		poly[i].weight[i] = 1
	}
	poly = clip(poly, func(c *corner) float64 { return c.pos[3] - 1e-6 })
	if d.DepthClip && len(poly) > 0 {
		poly = clip(poly, func(c *corner) float64 { return c.pos[2] })
		if len(poly) > 0 {
			poly = clip(poly, func(c *corner) float64 { return c.pos[3] - c.pos[2] })
		}
	}
	for n := range d.Vertices[t[0]].Clip {
		if len(poly) > 0 {
			poly = clip(poly, func(c *corner) float64 {
				s := 0.0
				for i := range 3 {
					if v := d.Vertices[t[i]].Clip; n < len(v) {
						s += c.weight[i] * float64(v[n])
					}
				}
				return s
			})
		}
	}
	if len(poly) > 0 { // keeps snapped coordinates in range
		for k := range 2 {
			for _, sign := range []float64{1, -1} {
				if len(poly) > 0 {
					poly = clip(poly, func(c *corner) float64 { return 64*c.pos[3] + sign*c.pos[k] })
				}
			}
		}
	}
	for i := 2; i < len(poly); i++ {
		if err := r.piece(ctx, t, [3]*corner{&poly[0], &poly[i-1], &poly[i]}); err != nil {
			return err
		}
	}
	return nil
}

// setup is a triangle on the screen. What it covers follows from coordinates that
// are snapped to 1/256 of a pixel; attributes are interpolated between the exact
// ones, as the drivers do that we compared with.
type setup struct {
	x, y   [3]int64 // 1/256 pixels
	fx, fy [3]float64
	farea  float64 // twice the area of the exact triangle
	z      [3]float64
	iw     [3]float64 // 1/w
}

func edge64(ax, ay, bx, by, px, py int64) int64 { return (bx-ax)*(py-ay) - (by-ay)*(px-ax) }

// piece draws one triangle of a clipped polygon.
func (r *rasterizer) piece(ctx context.Context, t [3]int, c [3]*corner) error {
	d, vp := r.d, r.d.Viewport
	var s setup
	for i := range 3 {
		w := c[i].pos[3]
		s.iw[i] = 1 / w
		s.x[i] = int64(math.Round((float64(vp[0]) + (c[i].pos[0]/w+1)/2*float64(vp[2])) * 256))
		s.y[i] = int64(math.Round((float64(vp[1]) + (1-c[i].pos[1]/w)/2*float64(vp[3])) * 256))
		s.fx[i] = (float64(vp[0]) + (c[i].pos[0]/w+1)/2*float64(vp[2])) * 256
		s.fy[i] = (float64(vp[1]) + (1-c[i].pos[1]/w)/2*float64(vp[3])) * 256
		s.z[i] = float64(vp[4]) + c[i].pos[2]/w*float64(vp[5]-vp[4])
	}
	area := edge64(s.x[0], s.y[0], s.x[1], s.y[1], s.x[2], s.y[2])
	if area == 0 {
		return nil
	}
	front := area > 0 != d.FrontCCW // y grows downward: positive is clockwise
	if d.Cull == CullFront && front || d.Cull == CullBack && !front {
		return nil
	}
	s.farea = (s.fx[1]-s.fx[0])*(s.fy[2]-s.fy[0]) - (s.fy[1]-s.fy[0])*(s.fx[2]-s.fx[0])
	if s.farea == 0 {
		return nil
	}
	sign := int64(1)
	if area < 0 {
		sign = -1
	}
	// inside tests a point in 1/256 pixels by the top-left rule.
	inside := func(px, py int64) bool {
		for i := range 3 {
			a, b := (i+1)%3, (i+2)%3
			e := sign * edge64(s.x[a], s.y[a], s.x[b], s.y[b], px, py)
			if e < 0 {
				return false
			}
			if e == 0 {
				dx, dy := sign*(s.x[b]-s.x[a]), sign*(s.y[b]-s.y[a])
				if !(dy < 0 || dy == 0 && dx > 0) { // left edges go up, top edges right
					return false
				}
			}
		}
		return true
	}
	lo := func(v [3]int64) int { return int(min(v[0], v[1], v[2]) >> 8) }
	hi := func(v [3]int64) int { return int((max(v[0], v[1], v[2]) + 255) >> 8) }
	x0, x1 := max(lo(s.x), int(vp[0]), 0), min(hi(s.x), int(math.Ceil(float64(vp[0]+vp[2]))), d.Width)
	y0, y1 := max(lo(s.y), int(vp[1]), 0), min(hi(s.y), int(math.Ceil(float64(vp[1]+vp[3]))), d.Height)
	var quads []quad
	flush := func() error {
		if len(quads) == 0 {
			return nil
		}
		err := r.shade(ctx, t, c, &s, front, quads)
		quads = quads[:0]
		return err
	}
	for y := y0 &^ 1; y < y1; y += 2 {
		for x := x0 &^ 1; x < x1; x += 2 {
			q := quad{x: x, y: y}
			any := false
			for k := range 4 {
				px, py := x+k&1, y+k>>1
				if px < x0 || px >= x1 || py < y0 || py >= y1 {
					continue
				}
				for n, p := range r.samples {
					if inside(int64(px)*256+int64(p[0]), int64(py)*256+int64(p[1])) {
						q.cover[k] |= 1 << n
						any = true
					}
				}
			}
			if any {
				quads = append(quads, q)
				if len(quads) == 256 {
					if err := flush(); err != nil {
						return err
					}
				}
			}
		}
	}
	return flush()
}

// quad is a 2x2 block of pixels with the samples that a triangle covers.
type quad struct {
	x, y  int
	cover [4]uint32
}

// shade runs the program for quads, once or for each sample, and writes the
// results.
func (r *rasterizer) shade(ctx context.Context, t [3]int, c [3]*corner, s *setup, front bool, quads []quad) error {
	rounds := 1
	if r.perSamp {
		rounds = len(r.samples)
	}
	for round := range rounds {
		b := &Batch{N: 4 * len(quads), In: map[uint32][][4]uint32{}, Samples: len(r.samples), Helper: make([]bool, 4*len(quads)), Coverage: make([]uint32, 4*len(quads)), PrimitiveID: make([]uint32, 4*len(quads))}
		cover := make([]uint32, b.N)
		for i := range cover {
			q := &quads[i/4]
			cover[i] = q.cover[i%4]
			if r.perSamp {
				cover[i] &= 1 << round
			}
			if r.p.early {
				cover[i] = r.depthTest(q.x+i&1, q.y+i>>1&1, cover[i], s, nil)
			}
			b.Helper[i] = cover[i] == 0
			b.Coverage[i] = cover[i]
		}
		at := func(i int) (x, y int) { q := &quads[i/4]; return q.x + i&1, q.y + i>>1&1 }
		for reg, modes := range r.interps {
			rows := make([][4]uint32, b.N)
			for i := range rows {
				x, y := at(i)
				for k := range 4 {
					rows[i][k] = r.input(t, c, s, front, reg, k, modes[k], x, y, cover[i], round)
				}
			}
			b.In[reg] = rows
		}
		b.Eval = func(i int, reg uint32, dx, dy float32) [4]uint32 {
			x, y := at(i)
			var out [4]uint32
			for k := range 4 {
				out[k] = r.attribute(t, c, s, reg, k, r.interps[reg][k], float64(x)+0.5+float64(dx), float64(y)+0.5+float64(dy))
			}
			return out
		}
		if r.d.Amend != nil {
			if err := r.d.Amend(b); err != nil {
				return err
			}
		}
		if r.d.Shade != nil {
			if err := r.d.Shade(b); err != nil {
				return err
			}
			continue
		}
		opt, err := r.opt.Rest(r.report)
		if err != nil {
			return err
		}
		rep, err := r.p.Run(ctx, r.env, b, opt)
		r.report.Add(rep)
		if err != nil {
			return err
		}
		for i := range cover {
			if b.Helper[i] || b.Discarded[i] {
				continue
			}
			x, y := at(i)
			m := cover[i]
			if b.Mask != nil {
				m &= b.Mask[i]
			}
			if !r.p.early {
				var z *float32
				if b.Depth != nil {
					v := math.Float32frombits(b.Depth[i])
					z = &v
				}
				m = r.depthTest(x, y, m, s, z)
			}
			r.write(b, i, x, y, m)
		}
	}
	return nil
}

// weights are the barycentric weights of a point in pixels.
func (s *setup) weights(x, y float64) [3]float64 {
	px, py := x*256, y*256
	var w [3]float64
	for i := range 3 {
		a, b := (i+1)%3, (i+2)%3
		ax, ay, bx, by := s.fx[a], s.fy[a], s.fx[b], s.fy[b]
		w[i] = ((bx-ax)*(py-ay) - (by-ay)*(px-ax)) / s.farea
	}
	return w
}

// input is one component of an input register of a pixel.
func (r *rasterizer) input(t [3]int, c [3]*corner, s *setup, front bool, reg uint32, k int, mode dxbc.Interpolation, x, y int, cover uint32, round int) uint32 {
	fx, fy := float64(x)+0.5, float64(y)+0.5
	switch mode {
	case dxbc.InterpLinearSample, dxbc.InterpLinearNoPerspectiveSample:
		fx, fy = float64(x)+float64(r.samples[round][0])/256, float64(y)+float64(r.samples[round][1])/256
	case dxbc.InterpLinearCentroid, dxbc.InterpLinearNoPerspectiveCentroid:
		if n := len(r.samples); n > 1 && cover != 0 && cover != 1<<n-1 {
			for i, p := range r.samples { // the first covered sample stands for the centroid
				if cover>>i&1 != 0 {
					fx, fy = float64(x)+float64(p[0])/256, float64(y)+float64(p[1])/256
					break
				}
			}
		}
	}
	switch r.system[reg][k] {
	case 1:
		w := s.weights(fx, fy)
		switch k {
		case 0:
			return math.Float32bits(float32(fx))
		case 1:
			return math.Float32bits(float32(fy))
		case 2:
			return math.Float32bits(float32(w[0]*s.z[0] + w[1]*s.z[1] + w[2]*s.z[2]))
		}
		return math.Float32bits(float32(1 / (w[0]*s.iw[0] + w[1]*s.iw[1] + w[2]*s.iw[2])))
	case 9:
		if front {
			return 0xFFFFFFFF
		}
		return 0
	case 10:
		return uint32(round)
	}
	return r.attribute(t, c, s, reg, k, mode, fx, fy)
}

// attribute interpolates one component of an attribute.
func (r *rasterizer) attribute(t [3]int, c [3]*corner, s *setup, reg uint32, k int, mode dxbc.Interpolation, x, y float64) uint32 {
	var v [3]uint32
	for i := range 3 {
		v[i] = r.d.Vertices[t[i]].Attr[reg][k]
	}
	if mode == dxbc.InterpConstant || mode == dxbc.InterpUndefined {
		return v[0]
	}
	w := s.weights(x, y)
	switch mode {
	case dxbc.InterpLinear, dxbc.InterpLinearCentroid, dxbc.InterpLinearSample:
		sum := 0.0
		for i := range w {
			w[i] *= s.iw[i]
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
	}
	out := 0.0
	for i := range 3 { // corner i has the weights c[i].weight of the vertices
		for j := range 3 {
			if f := w[i] * c[i].weight[j]; f != 0 {
				out += f * float64(math.Float32frombits(v[j]))
			}
		}
	}
	return math.Float32bits(float32(out))
}

// depthTest tests and writes the depth of the samples in mask; z is what the
// program wrote, or nil.
func (r *rasterizer) depthTest(x, y int, mask uint32, s *setup, z *float32) uint32 {
	d := r.d
	if d.Depth == nil {
		return mask
	}
	for n, p := range r.samples {
		if mask>>n&1 == 0 {
			continue
		}
		var v float32
		if z != nil {
			v = *z
		} else {
			w := s.weights(float64(x)+float64(p[0])/256, float64(y)+float64(p[1])/256)
			v = float32(w[0]*s.z[0] + w[1]*s.z[1] + w[2]*s.z[2])
		}
		lo, hi := min(d.Viewport[4], d.Viewport[5]), max(d.Viewport[4], d.Viewport[5])
		if v = min(v, hi); !(v >= lo) {
			v = lo
		}
		b := d.Depth.at(x, y, n)
		if b == nil {
			continue
		}
		tmp := make([]byte, d.Depth.Format.Bytes)
		d.Depth.Format.encode([4]uint32{math.Float32bits(v)}, tmp)
		v = math.Float32frombits(d.Depth.Format.decode(tmp)[0])
		if !d.DepthFunc.Holds(v, math.Float32frombits(d.Depth.Format.decode(b)[0])) {
			mask &^= 1 << n
			continue
		}
		if d.DepthWrite {
			copy(b, tmp)
		}
	}
	return mask
}

// at is the memory of a texel of the first level, or nil.
func (t *Texture) at(x, y, sample int) []byte {
	img := t.Image(0, 0, sample)
	o := (y*t.Width + x) * t.Format.Bytes
	if x < 0 || y < 0 || x >= t.Width || y >= t.Height || o+t.Format.Bytes > len(img) {
		return nil
	}
	return img[o : o+t.Format.Bytes]
}

func (r *rasterizer) write(b *Batch, i, x, y int, mask uint32) {
	for k, t := range r.d.Targets {
		rows := b.Out[uint32(k)]
		if t == nil || rows == nil {
			continue
		}
		for n := range r.samples {
			if mask>>n&1 != 0 {
				if m := t.at(x, y, n); m != nil {
					t.Format.encode(rows[i], m)
				}
			}
		}
	}
}

// Resolve averages the samples of a texture into one of the same format.
func (t *Texture) Resolve() (*Texture, error) {
	out, err := NewTexture(dxbc.DimTexture2D, t.Width, t.Height, 1, 1, 1, 1, t.Format)
	if err != nil {
		return nil, err
	}
	for y := range t.Height {
		for x := range t.Width {
			var sum [4]float64
			for n := range t.Samples {
				v := t.Format.Decode(t.at(x, y, n))
				if t.Format.Integer() {
					t.Format.encode(v, out.at(x, y, 0))
					break
				}
				addTo(&sum, v, 1/float64(t.Samples))
			}
			if !t.Format.Integer() {
				var v [4]uint32
				for k := range v {
					v[k] = math.Float32bits(float32(sum[k]))
				}
				t.Format.encode(v, out.at(x, y, 0))
			}
		}
	}
	return out, nil
}
