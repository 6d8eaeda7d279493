package interpreter

import (
	"slices"

	"ludus/env/gdl/kif"
)

// rule is a rule whose body is a conjunction of literals.
type rule struct {
	head      pattern
	body      []literal
	variables int
	pos       kif.Pos
}

// literal is a literal of a body: an atom (holds), its negation (fails), distinct (differ) or not distinct (equal).
type literal struct {
	kind literalKind
	atom pattern
}

type literalKind int

const (
	holds literalKind = iota
	fails
	differ // the two arguments of the atom differ
	equal
)

// rule compiles a rule whose body is a conjunction of literals.
func (t terms) rule(head kif.Term, body []kif.Term, pos kif.Pos) rule {
	variables := map[string]int{}
	r := rule{head: t.pattern(head, variables), pos: pos}
	for _, k := range body {
		l := literal{}
		switch k.Name {
		case "not":
			l.kind, k = fails, k.Args[0]
			if k.Name == "distinct" {
				l.kind = equal
			}
		case "distinct":
			l.kind = differ
		}
		l.atom = t.pattern(k, variables)
		r.body = append(r.body, l)
	}
	r.variables = len(variables)
	return r
}

// plan is a rule with an order in which to solve its literals, given some arguments of its head.
type plan struct {
	rule
	steps   []step
	decided int // number of steps after which all variables of the head have values
}

// step is a literal of a plan.
type step struct {
	literal
	tested bool       // all its variables have values before the step
	binds  []int      // variables to which the step gives values
	parts  []pattern  // parts of the atom that have values before the step, to look up facts
	places []int      // indices of these parts, see terms.parts
	mask   uint64     // set of the arguments that have values before the step
	asked  *procedure // rules of the atom's relation, given these; nil until the step is first taken
}

// newStep returns the step of a literal, and marks the variables that have values afterwards.
func newStep(l literal, bound []bool) step {
	s := step{literal: l, tested: isBound(&l.atom, bound)}
	for place, p := range patternParts(&s.atom) {
		if p != nil && isBound(p, bound) {
			s.places, s.parts = append(s.places, place), append(s.parts, *p)
		}
	}
	for i := range l.atom.args {
		if isBound(&l.atom.args[i], bound) {
			s.mask |= 1 << i
		}
	}
	visitVariables(&s.atom, func(v int) {
		if !bound[v] {
			bound[v] = true
			s.binds = append(s.binds, v)
		}
	})
	return s
}

// plan orders the literals of a body, given some arguments of the head, by their places: literals without free variables
// come first, then the atom with the most parts that have values.
func (r *rule) plan(places []int) (plan, error) {
	bound := make([]bool, r.variables)
	for _, place := range places {
		visitVariables(&r.head.args[place], func(v int) { bound[v] = true })
	}
	p := plan{rule: *r}
	open := slices.Clone(r.body)
	p.decided = len(open)
	for len(open) > 0 {
		if isBound(&r.head, bound) {
			p.decided = min(p.decided, len(p.steps))
		}
		pick, most := -1, -1
		for i := range open {
			l := &open[i]
			if isBound(&l.atom, bound) {
				pick = i
				break
			}
			if l.kind != holds {
				continue
			}
			known := 0
			for _, p := range patternParts(&l.atom) {
				if p != nil && isBound(p, bound) {
					known++
				}
			}
			if known > most {
				pick, most = i, known
			}
		}
		if pick < 0 {
			return p, kif.Errorf(r.pos, "a variable of this rule is free in a negation")
		}
		p.steps = append(p.steps, newStep(open[pick], bound))
		open = slices.Delete(open, pick, pick+1)
	}
	if !isBound(&r.head, bound) {
		return p, kif.Errorf(r.pos, "the head of this rule has a free variable")
	}
	return p, nil
}

// procedure is the rules of a relation for questions that give the arguments at some places.
type procedure struct {
	number uint64
	class  class
	places []int
	ground bool // all arguments are given, so there is one answer at most
	plans  []plan
}

// patternParts returns the parts of a pattern as terms.parts does for a fact; nil for a part that the pattern does not
// determine.
func patternParts(p *pattern) []*pattern {
	if len(p.args) == 0 {
		return nil
	}
	last := &p.args[len(p.args)-1]
	list := []*pattern{nil}
	if last.variable < 0 {
		list[0] = &pattern{ground: id(last.functor), variable: -1}
	}
	for i := range p.args {
		list = append(list, &p.args[i])
	}
	for i := range last.args {
		list = append(list, &last.args[i])
	}
	return list
}

func isBound(p *pattern, bound []bool) bool {
	all := true
	visitVariables(p, func(v int) { all = all && bound[v] })
	return all
}

func visitVariables(p *pattern, visit func(int)) {
	if p.variable >= 0 {
		visit(p.variable)
	}
	for i := range p.args {
		visitVariables(&p.args[i], visit)
	}
}
