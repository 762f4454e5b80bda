package ir

import "slices"

// Clone returns a deep copy of f. The shader and program are shared.
func (f *Function) Clone() *Function {
	c := *f
	c.Values = slices.Clone(f.Values)
	for i := range c.Values {
		c.Values[i].Args = slices.Clone(c.Values[i].Args)
	}
	c.Nodes = slices.Clone(f.Nodes)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Args = slices.Clone(n.Args)
		if n.Construct == noConstruct {
			continue
		}
		own := *n.Construct
		own.Regions, own.Params, own.Header = slices.Clone(own.Regions), slices.Clone(own.Params), slices.Clone(own.Header)
		own.Inits, own.Labels = slices.Clone(own.Inits), slices.Clone(own.Labels)
		n.Construct = &own
	}
	c.Regions = slices.Clone(f.Regions)
	for i := range c.Regions {
		c.Regions[i].Nodes = slices.Clone(c.Regions[i].Nodes)
	}
	c.Resources = slices.Clone(f.Resources)
	for i := range c.Resources {
		c.Resources[i].Samplers = slices.Clone(c.Resources[i].Samplers)
	}
	c.Arrays, c.ICB = slices.Clone(f.Arrays), slices.Clone(f.ICB)
	c.Inputs, c.Outputs = slices.Clone(f.Inputs), slices.Clone(f.Outputs)
	c.Fates, c.Constants = slices.Clone(f.Fates), slices.Clone(f.Constants)
	return &c
}
