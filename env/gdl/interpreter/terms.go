package interpreter

import (
	"slices"

	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
)

// id is a ground term, such as b or (cell 1 1 b). 0 means no term.
type id = ground.Term

// terms numbers ground terms so that equal terms have equal numbers.
type terms struct{ *ground.Terms }

// parts returns the subterms by which a fact is indexed: the functor of its last argument, its arguments, and the
// arguments of the last one. So (true (cell 1 1 b)) is found by 1, 1 and b. The result uses the buffer; its first entry
// is the number of a functor, not of a term.
func (t terms) parts(n id, buffer []id) []id {
	args := t.Args(n)
	if len(args) == 0 {
		return buffer[:0]
	}
	last := args[len(args)-1]
	return append(append(append(buffer[:0], id(t.FunctorOf(last))), args...), t.Args(last)...)
}

// pattern is a term of a rule, perhaps with variables.
type pattern struct {
	ground   id  // the term if it has no variable, or else 0
	variable int // index of the variable; -1 if the pattern is not a variable
	functor  int32
	args     []pattern
}

// environment holds the values of a rule's variables; 0 means that a variable has no value.
type environment []id

// value returns the term of a pattern all of whose variables have values; 0 if the term does not exist and create is
// false.
func (t terms) value(p *pattern, env environment, create bool) id {
	switch {
	case p.ground != 0:
		return p.ground
	case p.variable >= 0:
		return env[p.variable]
	}
	var buffer [8]id
	args := buffer[:0]
	for i := range p.args {
		arg := t.value(&p.args[i], env, create)
		if arg == 0 {
			return 0
		}
		args = append(args, arg)
	}
	if create {
		return t.Add(p.functor, args)
	}
	return t.Find(p.functor, args)
}

// match unifies a pattern with a ground term by giving values to variables. It reports false if that is impossible;
// some variables may then have values.
func (t terms) match(p *pattern, n id, env environment) bool {
	switch {
	case p.ground != 0:
		return p.ground == n
	case p.variable >= 0:
		if env[p.variable] == 0 {
			env[p.variable] = n
		}
		return env[p.variable] == n
	case t.FunctorOf(n) != p.functor:
		return false
	}
	for i, a := range t.Args(n) {
		if !t.match(&p.args[i], a, env) {
			return false
		}
	}
	return true
}

// pattern compiles a term. Variables are numbered in the order of their first occurrence.
func (t terms) pattern(k kif.Term, variables map[string]int) pattern {
	if k.IsVariable() {
		v, ok := variables[k.Name]
		if !ok {
			v = len(variables)
			variables[k.Name] = v
		}
		return pattern{variable: v}
	}
	p := pattern{variable: -1, functor: t.Functor(k.Name, len(k.Args))}
	var args []id
	for _, a := range k.Args {
		q := t.pattern(a, variables)
		p.args, args = append(p.args, q), append(args, q.ground)
	}
	if !slices.Contains(args, 0) {
		p.ground = t.Add(p.functor, args)
	}
	return p
}
