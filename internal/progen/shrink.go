package progen

// Shrink removes what a failure does not need: fails says whether a program still
// fails, and is asked at most limit times. The result fails.
func Shrink(p *Program, fails func(*Program) bool, limit int) *Program {
	s := &shrinker{best: p, fails: fails, left: limit}
	for changed := true; changed && s.left > 0; {
		changed = s.lists()
	}
	s.registers()
	return s.best
}

type shrinker struct {
	best  *Program
	fails func(*Program) bool
	left  int
}

// try keeps a candidate that fails.
func (s *shrinker) try(c *Program) bool {
	if s.left <= 0 {
		return false
	}
	s.left--
	if s.fails(c) {
		s.best = c
		return true
	}
	return false
}

// lists goes through the lists of statements: runs of them are removed, long ones
// first, and blocks are replaced by what they hold.
func (s *shrinker) lists() bool {
	changed := false
	for at := 0; ; at++ {
		c := s.best.clone()
		l := c.list(at)
		if l == nil {
			return changed
		}
		for size := max(len(*l), 1); size > 0; size /= 2 {
			for from := 0; from < len(*s.best.list(at)); {
				c := s.best.clone()
				l := c.list(at)
				*l = append((*l)[:from:from], (*l)[min(from+size, len(*l)):]...)
				if s.try(c) {
					changed = true
					if s.best.list(at) == nil {
						return changed
					}
					continue
				}
				from += size
			}
		}
		for i := 0; i < len(*s.best.list(at)); i++ {
			for _, inner := range (*s.best.list(at))[i].parts() {
				c := s.best.clone()
				l := c.list(at)
				*l = append(append((*l)[:i:i], clones(inner)...), (*l)[i+1:]...)
				if s.try(c) {
					changed = true
					break
				}
			}
			if i < len(*s.best.list(at)) {
				n := (*s.best.list(at))[i]
				if n.Kind == Loop && n.Rounds > 1 {
					c := s.best.clone()
					(*c.list(at))[i].Rounds = 1
					changed = s.try(c) || changed
				}
				for k := len(n.Clauses) - 1; k >= 0 && n.Kind == Switch && len(n.Clauses) > 1; k-- {
					c := s.best.clone()
					m := (*c.list(at))[i]
					m.Clauses = append(m.Clauses[:k:k], m.Clauses[k+1:]...)
					m.Clauses[len(m.Clauses)-1].Through = false
					if s.try(c) {
						changed, n = true, (*s.best.list(at))[i]
					}
				}
			}
		}
	}
}

// parts are the lists that could stand in a block's place.
func (n *Node) parts() [][]*Node {
	var out [][]*Node
	switch n.Kind {
	case If:
		out = append(out, n.Body)
		if len(n.Else) > 0 {
			out = append(out, n.Else)
		}
	case Loop:
		out = append(out, n.Body)
	case Switch:
		for _, c := range n.Clauses {
			out = append(out, c.Body)
		}
	}
	return out
}

// registers leaves out the registers that the failure does not need.
func (s *shrinker) registers() {
	for r := range Registers + 1 {
		c := s.best.clone()
		if c.Used == nil {
			c.Used = make([]bool, Registers+1)
			for i := range c.Used {
				c.Used[i] = true
			}
		}
		name := "r" + string(rune('0'+r)) + "."
		if r == Registers {
			name = "x0["
		}
		c.Used[r] = false
		if !c.uses(name) {
			s.try(c)
		}
	}
}

// list returns list number n of the program, in the order of the text, or nil.
func (p *Program) list(n int) *[]*Node {
	var find func(l *[]*Node) *[]*Node
	find = func(l *[]*Node) *[]*Node {
		if n == 0 {
			return l
		}
		n--
		for _, x := range *l {
			for _, inner := range x.lists() {
				if f := find(inner); f != nil {
					return f
				}
			}
		}
		return nil
	}
	if l := find(&p.Body); l != nil {
		return l
	}
	for i := range p.Subs {
		if l := find(&p.Subs[i]); l != nil {
			return l
		}
	}
	return nil
}

func (n *Node) lists() []*[]*Node {
	switch n.Kind {
	case If:
		return []*[]*Node{&n.Body, &n.Else}
	case Loop:
		return []*[]*Node{&n.Body}
	case Switch:
		var out []*[]*Node
		for i := range n.Clauses {
			out = append(out, &n.Clauses[i].Body)
		}
		return out
	}
	return nil
}

func (p *Program) clone() *Program {
	c := *p
	c.Body = clones(p.Body)
	c.Subs = append([][]*Node(nil), p.Subs...)
	for i := range c.Subs {
		c.Subs[i] = clones(c.Subs[i])
	}
	c.Used = append([]bool(nil), p.Used...)
	if p.Used == nil {
		c.Used = nil
	}
	return &c
}

func clones(l []*Node) []*Node {
	out := make([]*Node, len(l))
	for i, n := range l {
		c := *n
		c.Text = append([]string(nil), n.Text...)
		c.Body, c.Else = clones(n.Body), clones(n.Else)
		c.Clauses = append([]Clause(nil), n.Clauses...)
		for k := range c.Clauses {
			c.Clauses[k].Body = clones(n.Clauses[k].Body)
		}
		out[i] = &c
	}
	return out
}
