package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
)

// pipeline is what comes out of the stages before the rasterizer: vertices, the
// primitives between them, and the signature of the last stage.
type pipeline struct {
	verts []interp.Vertex
	prims [][]int
	sig   *dxbc.Signature
}

// geometryStages runs the vertex program and, where the job has them, hull, domain and
// geometry programs.
func (r *runner) geometryStages(ctx context.Context) (*pipeline, error) {
	b, per, err := r.vertices(ctx)
	if err != nil {
		return nil, err
	}
	p := &pipeline{sig: r.shader["vs"].Out}
	for i := range b.N {
		v := interp.Vertex{}
		for reg, rows := range b.Out {
			v[reg] = rows[i]
		}
		p.verts = append(p.verts, v)
	}
	topo := r.job.find("topo").word(1)
	if topo == "" {
		topo = "trianglelist"
		if r.progs["gs"] != nil {
			switch declared(r.shader["gs"], dxbc.OpDclInputprimitive) {
			case 1:
				topo = "pointlist"
			case 2:
				topo = "linelist"
			}
		}
	}
	if p.prims, err = assemble(topo, b.N, per); err != nil {
		return nil, err
	}
	if r.hull != nil {
		if err := r.tessellate(ctx, p); err != nil {
			return nil, err
		}
	}
	if r.progs["gs"] != nil {
		if err := r.geometry(ctx, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// declared is the first number of a declaration, or zero.
func declared(s *dxbc.Shader, op dxbc.Op) uint32 {
	for i := range s.Program.Instrs {
		if in := &s.Program.Instrs[i]; in.Op == op && in.Decl != nil && len(in.Decl.Words) > 0 {
			return in.Decl.Words[0]
		}
	}
	return 0
}

// assemble lists the primitives of a topology over n vertices, per of them an instance.
func assemble(topo string, n, per int) ([][]int, error) {
	var out [][]int
	patch := 0
	if k, ok := strings.CutPrefix(topo, "patch"); ok {
		var err error
		if patch, err = strconv.Atoi(k); err != nil || patch < 1 || patch > 32 {
			return nil, fmt.Errorf("topology %s: patches have 1 to 32 points", topo)
		}
	}
	list := func(at, size int) {
		for k := 0; k+size <= per; k += size {
			var one []int
			for i := range size {
				one = append(one, at+k+i)
			}
			out = append(out, one)
		}
	}
	for at := 0; at < n; at += per {
		switch topo {
		case "pointlist":
			list(at, 1)
		case "linelist":
			list(at, 2)
		case "trianglelist":
			list(at, 3)
		case "linestrip":
			for k := 0; k+2 <= per; k++ {
				out = append(out, []int{at + k, at + k + 1})
			}
		case "trianglestrip":
			out = append(out, stripOf(at, per)...)
		default:
			if patch == 0 {
				return nil, fmt.Errorf("%w: topology %s is not drawn", interp.ErrUnsupported, topo)
			}
			list(at, patch)
		}
	}
	return out, nil
}

// stripOf lists the triangles of a strip: the first vertex stays first, the winding is kept.
func stripOf(at, n int) (out [][]int) {
	for k := 0; k+3 <= n; k++ {
		t := []int{at + k, at + k + 1, at + k + 2}
		if k&1 != 0 {
			t[1], t[2] = t[2], t[1]
		}
		out = append(out, t)
	}
	return out
}

// pick lists the vertices of a primitive.
func (p *pipeline) pick(prim []int) []interp.Vertex {
	var out []interp.Vertex
	for _, i := range prim {
		out = append(out, p.verts[i])
	}
	return out
}

// maxVertices bounds what the stages before the rasterizer make.
const maxVertices = 1 << 18

func (p *pipeline) add(vs []interp.Vertex) error {
	if p.verts = append(p.verts, vs...); len(p.verts) > maxVertices {
		return fmt.Errorf("%w: more than %d vertices", interp.ErrMemory, maxVertices)
	}
	return nil
}

func (r *runner) tessellate(ctx context.Context, p *pipeline) error {
	ds := r.progs["ds"]
	if ds == nil {
		return errors.New("a hull program without a domain program")
	}
	next := &pipeline{sig: r.shader["ds"].Out}
	spent := &interp.Report{}
	for id, prim := range p.prims {
		opt, err := r.opt.Rest(spent)
		if err != nil {
			return err
		}
		patch, rep, err := r.hull.Run(ctx, r.envs["hs"], p.pick(prim), uint32(id), opt)
		spent.Steps += rep.Steps
		r.keep(rep)
		if err != nil {
			return err
		}
		mesh, err := r.hull.Tessellate(patch)
		if err != nil {
			return err
		}
		made, rep, err := interp.Domain(ctx, ds, r.envs["ds"], patch, mesh.Points, uint32(id), opt)
		spent.Steps += rep.Steps
		r.keep(rep)
		if err != nil {
			return err
		}
		at := len(next.verts)
		if err := next.add(made); err != nil {
			return err
		}
		for _, t := range mesh.Triangles {
			next.prims = append(next.prims, []int{at + t[0], at + t[1], at + t[2]})
		}
	}
	*p = *next
	return nil
}

func (r *runner) geometry(ctx context.Context, p *pipeline) error {
	var prims [][]interp.Vertex
	for _, prim := range p.prims {
		prims = append(prims, p.pick(prim))
	}
	strips, rep, err := interp.Geometry(ctx, r.progs["gs"], r.envs["gs"], prims, r.opt.Options)
	r.keep(rep)
	if err != nil {
		return err
	}
	next := &pipeline{sig: r.shader["gs"].Out}
	topo := declared(r.shader["gs"], dxbc.OpDclOutputtopology)
	for _, s := range strips {
		if s.Stream != 0 { // the rasterizer and the job's captures take the first
			continue
		}
		at, n := len(next.verts), len(s.Vertices)
		if err := next.add(s.Vertices); err != nil {
			return err
		}
		switch topo {
		case 1:
			for k := range n {
				next.prims = append(next.prims, []int{at + k})
			}
		case 3:
			for k := 0; k+2 <= n; k++ {
				next.prims = append(next.prims, []int{at + k, at + k + 1})
			}
		default:
			next.prims = append(next.prims, stripOf(at, n)...)
		}
	}
	*p = *next
	return nil
}

// raster hands vertices and triangles to the rasterizer.
func (r *runner) raster(p *pipeline) error {
	d := &r.draw
	d.Vertices = make([]interp.RasterVertex, len(p.verts))
	for i := range d.Vertices {
		v := &d.Vertices[i]
		v.Attr = p.verts[i]
		if p.sig == nil {
			continue
		}
		for k := range p.sig.Elements {
			e := &p.sig.Elements[k]
			row, ok := v.Attr[e.Register]
			if !ok || e.Stream != 0 {
				continue
			}
			for c := range 4 {
				if e.Mask>>c&1 == 0 {
					continue
				}
				switch e.SysValue {
				case 1:
					v.Position[c] = math.Float32frombits(row[c])
				case 2:
					v.Clip = append(v.Clip, math.Float32frombits(row[c]))
				}
			}
		}
	}
	return r.triangles(p.prims)
}

func (r *runner) triangles(prims [][]int) error {
	for _, t := range prims {
		if len(t) != 3 {
			return fmt.Errorf("%w: points, lines and patches are not drawn", interp.ErrUnsupported)
		}
		r.draw.Triangles = append(r.draw.Triangles, [3]int(t))
	}
	return nil
}
