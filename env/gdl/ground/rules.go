package ground

import (
	"slices"

	"ludus/env/gdl/kif"
)

// pattern is a compiled term that may contain variables.
type pattern struct {
	variable int   // number of the variable, or -1
	ground   Term  // the term if it has no variables, otherwise 0
	functor  int32 // unless the pattern is a variable or ground
	args     []pattern
	vars     uint64 // bit set of its variables
}

// literal is a compiled literal of a rule.
type literal struct {
	pattern
	atom     kif.Term  // the atom as written in the sheet
	relation *relation // nil for distinct, whose pattern has only arguments
	negated  bool
}

// rule is a compiled clause.
type rule struct {
	head      pattern
	relation  *relation // of the head
	literals  []literal // positive ones first
	positive  int       // number of positive literals
	pos       kif.Pos
	instances int // instances found so far
	work      int // atoms tried so far
}

// relation is the set of possible atoms of one predicate.
type relation struct {
	symbol  symbol
	class   class
	atoms   []Term
	indexes []*index
	uses    []use // positive literals of the current rules that ask for it
}

// use is a positive literal of a rule: literal is its index.
type use struct {
	rule    *rule
	literal int
}

// index is a hash index of a relation: it finds atoms by the subterms at some paths. A path lists argument numbers.
type index struct {
	paths [][]int
	lists map[uint64][]Term
}

const maxVariables = 64

// compile compiles a clause.
func (g *grounder) compile(c clause) (*rule, error) {
	names := variables(append([]kif.Term{c.head}, c.body...))
	if len(names) > maxVariables {
		return nil, kif.Errorf(c.pos, "a rule with %d variables; at most %d are supported", len(names), maxVariables)
	}
	r := &rule{head: g.pattern(c.head, names), relation: g.relation(symbolOf(c.head)), pos: c.pos}
	for _, positive := range []bool{true, false} {
		for _, l := range c.body {
			a, negated := l, l.Name == "not"
			if negated {
				a = l.Args[0]
			}
			test := negated || a.Name == "distinct"
			if test == positive {
				continue
			}
			lit := literal{negated: negated}
			if a.Name == "distinct" {
				lit.args = []pattern{g.pattern(a.Args[0], names), g.pattern(a.Args[1], names)}
				lit.vars = lit.args[0].vars | lit.args[1].vars
			} else {
				lit.pattern, lit.relation, lit.atom = g.pattern(a, names), g.relation(symbolOf(a)), a
			}
			r.literals = append(r.literals, lit)
		}
		if positive {
			r.positive = len(r.literals)
		}
	}
	return r, nil
}

// pattern compiles a term. A variable gets its index in names, the variables of the rule.
func (g *grounder) pattern(t kif.Term, names []string) pattern {
	if t.IsVariable() {
		i := slices.Index(names, t.Name)
		return pattern{variable: i, vars: 1 << i}
	}
	p := pattern{variable: -1, functor: g.terms.Functor(t.Name, len(t.Args))}
	var ids []Term
	for _, a := range t.Args {
		q := g.pattern(a, names)
		p.vars |= q.vars
		p.args = append(p.args, q)
		ids = append(ids, q.ground)
	}
	if p.vars == 0 {
		p.ground = g.terms.Add(p.functor, ids)
	}
	return p
}

// relation returns the relation of a predicate.
func (g *grounder) relation(s symbol) *relation {
	r := g.relations[s]
	if r == nil {
		r = &relation{symbol: s}
		g.relations[s] = r
	}
	return r
}

// match unifies a pattern with a ground term by binding variables. It reports false if that fails; bound may have
// changed then, too.
func (g *grounder) match(p *pattern, x Term, bound *uint64) bool {
	switch {
	case p.ground != 0:
		return p.ground == x
	case p.variable >= 0:
		if *bound>>p.variable&1 != 0 {
			return g.values[p.variable] == x
		}
		g.values[p.variable] = x
		*bound |= 1 << p.variable
		return true
	case g.terms.functor[x] != p.functor:
		return false
	}
	args := g.terms.args[x]
	for i := range p.args {
		if !g.match(&p.args[i], args[i], bound) {
			return false
		}
	}
	return true
}

// value returns the term of a pattern all of whose variables are bound.
func (g *grounder) value(p *pattern) Term {
	switch {
	case p.ground != 0:
		return p.ground
	case p.variable >= 0:
		return g.values[p.variable]
	}
	var buffer [16]Term
	ids := buffer[:0]
	for i := range p.args {
		ids = append(ids, g.value(&p.args[i]))
	}
	return g.terms.Add(p.functor, ids)
}

// paths appends the paths to the largest subterms of p whose variables are all bound.
func (p *pattern) paths(bound uint64, at []int, list [][]int) [][]int {
	if p.vars&^bound == 0 {
		return append(list, slices.Clone(at))
	}
	for i := range p.args {
		list = p.args[i].paths(bound, append(at[:len(at):len(at)], i), list)
	}
	return list
}

// hash mixes the next subterm into the hash key of an index.
func hash(h uint64, x Term) uint64 {
	h = (h ^ uint64(x)) * 0xff51afd7ed558ccd
	return h ^ h>>29
}

// add inserts an atom into the index, under the hash of its subterms at i.paths. It leaves out an atom without one of
// these subterms.
func (i *index) add(t *Terms, atom Term) {
	h := uint64(1)
	for _, path := range i.paths {
		x := atom
		for _, k := range path {
			if args := t.args[x]; k < len(args) {
				x = args[k]
			} else {
				return
			}
		}
		h = hash(h, x)
	}
	i.lists[h] = append(i.lists[h], atom)
}

// part returns the subterm of a pattern at a path.
func (p *pattern) part(path []int) *pattern {
	for _, k := range path {
		p = &p.args[k]
	}
	return p
}

// candidates returns the atoms that may match a literal, found by an index of its bound subterms; all atoms of the
// relation if the literal has none.
func (g *grounder) candidates(l *literal, bound uint64) []Term {
	if l.vars&bound == 0 {
		fixed := false
		for i := range l.args {
			fixed = fixed || l.args[i].ground != 0 || len(l.args[i].args) > 0 // an argument with anything to look up
		}
		if !fixed {
			return l.relation.atoms
		}
	}
	key := indexKey{l, l.vars & bound}
	i := g.indexOf[key]
	if i == nil {
		paths := l.paths(bound, nil, nil) // from the root
		i = g.index(l.relation, paths)
		g.indexOf[key] = i
	}
	h := uint64(1)
	for _, path := range i.paths {
		h = hash(h, g.value(l.part(path)))
	}
	return i.lists[h]
}

type indexKey struct {
	literal *literal
	bound   uint64
}

// index returns a relation's index for the paths.
func (g *grounder) index(r *relation, paths [][]int) *index {
	for _, i := range r.indexes {
		if slices.EqualFunc(i.paths, paths, slices.Equal) {
			return i
		}
	}
	i := &index{paths: paths, lists: map[uint64][]Term{}}
	g.spend(bytesPerEntry * len(r.atoms))
	for _, a := range r.atoms {
		i.add(g.terms, a)
	}
	r.indexes = append(r.indexes, i)
	return i
}
