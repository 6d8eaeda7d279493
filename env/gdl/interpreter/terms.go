package interpreter

import (
	"strconv"
	"strings"

	"ludus/env/gdl/kif"
)

// id is the number of a ground term, such as b or (cell 1 1 b). 0 means no term.
type id = int32

// terms numbers ground terms so that equal terms have equal numbers. It is a trie: a term is found by its functor (name
// and number of arguments), then argument by argument. A functor has a number too; a constant has that of its functor.
type terms struct {
	functors map[string]id
	longer   map[[2]id]id // from the first arguments of a term and one more argument to the longer term
	list     []groundTerm // the terms by number
}

type groundTerm struct {
	name    string
	functor id
	args    []id
	text    string // cached by text; "" until then
}

func newTerms() *terms {
	return &terms{functors: map[string]id{}, longer: map[[2]id]id{}, list: make([]groundTerm, 1)}
}

func (t *terms) add(g groundTerm) id {
	t.list = append(t.list, g)
	return id(len(t.list) - 1)
}

// functor returns the number of a functor.
func (t *terms) functor(name string, args int) id {
	key := name + "/" + strconv.Itoa(args)
	f := t.functors[key]
	if f == 0 {
		f = t.add(groundTerm{name: name})
		t.list[f].functor = f
		t.functors[key] = f
	}
	return f
}

// extend returns a term with one more argument; 0 if it does not exist and create is false.
func (t *terms) extend(beginning, arg id, create bool) id {
	key := [2]id{beginning, arg}
	n := t.longer[key]
	if n == 0 && create {
		b := t.list[beginning]
		n = t.add(groundTerm{name: b.name, functor: b.functor, args: append(b.args[:len(b.args):len(b.args)], arg)})
		t.longer[key] = n
	}
	return n
}

func (t *terms) text(n id) string {
	g := &t.list[n]
	if g.text == "" {
		g.text = g.name
		if len(g.args) > 0 {
			var b strings.Builder
			b.WriteString("(" + g.name)
			for _, a := range g.args {
				b.WriteString(" " + t.text(a))
			}
			g.text = b.String() + ")"
		}
	}
	return g.text
}

// parts returns the subterms by which a fact is indexed: the functor of its last argument, its arguments, and the
// arguments of the last one. So (true (cell 1 1 b)) is found by 1, 1 and b. The result uses the buffer.
func (t *terms) parts(n id, buffer []id) []id {
	args := t.list[n].args
	if len(args) == 0 {
		return buffer[:0]
	}
	last := &t.list[args[len(args)-1]]
	return append(append(append(buffer[:0], last.functor), args...), last.args...)
}

// pattern is a term of a rule, perhaps with variables.
type pattern struct {
	ground   id  // the term if it has no variable, or else 0
	variable int // index of the variable; -1 if the pattern is not a variable
	functor  id
	args     []pattern
}

// environment holds the values of a rule's variables; 0 means that a variable has no value.
type environment []id

// value returns the term of a pattern all of whose variables have values; 0 if the term does not exist and create is
// false.
func (t *terms) value(p *pattern, env environment, create bool) id {
	switch {
	case p.ground != 0:
		return p.ground
	case p.variable >= 0:
		return env[p.variable]
	}
	n := p.functor
	for i := range p.args {
		arg := t.value(&p.args[i], env, create)
		if arg == 0 {
			return 0
		}
		n = t.extend(n, arg, create)
		if n == 0 {
			return 0
		}
	}
	return n
}

// match unifies a pattern with a ground term by giving values to variables. It reports false if that is impossible;
// some variables may then have values.
func (t *terms) match(p *pattern, n id, env environment) bool {
	switch {
	case p.ground != 0:
		return p.ground == n
	case p.variable >= 0:
		if env[p.variable] == 0 {
			env[p.variable] = n
		}
		return env[p.variable] == n
	case t.list[n].functor != p.functor:
		return false
	}
	for i, a := range t.list[n].args {
		if !t.match(&p.args[i], a, env) {
			return false
		}
	}
	return true
}

// pattern compiles a term. Variables are numbered in the order of their first occurrence.
func (t *terms) pattern(k kif.Term, variables map[string]int) pattern {
	if k.IsVariable() {
		v, ok := variables[k.Name]
		if !ok {
			v = len(variables)
			variables[k.Name] = v
		}
		return pattern{variable: v}
	}
	p := pattern{variable: -1, functor: t.functor(k.Name, len(k.Args))}
	ground := true
	for _, a := range k.Args {
		p.args = append(p.args, t.pattern(a, variables))
		ground = ground && p.args[len(p.args)-1].ground != 0
	}
	if ground {
		p.ground = p.functor
		for _, a := range p.args {
			p.ground = t.extend(p.ground, a.ground, true)
		}
	}
	return p
}
