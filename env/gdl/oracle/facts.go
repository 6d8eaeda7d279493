package oracle

import (
	"slices"
	"strconv"

	"ludus/env/gdl/kif"
)

// term is a term of a rule or a ground one. It never changes.
type term struct {
	name      string
	args      []*term
	signature string // name and number of arguments
	text      string // "" if it has a variable
}

func newTerm(t kif.Term) *term {
	args := make([]*term, len(t.Args))
	for i, a := range t.Args {
		args[i] = newTerm(a)
	}
	return atom(t.Name, args...)
}

func atom(name string, args ...*term) *term {
	t := &term{name: name, args: args, signature: name + "/" + strconv.Itoa(len(args))}
	if name[0] == '?' {
		return t
	}
	text := name
	for _, a := range args {
		if a.text == "" {
			return t
		}
		text += " " + a.text
	}
	if t.text = text; len(args) > 0 {
		t.text = "(" + text + ")"
	}
	return t
}

// asked returns the atom of a literal.
func (t *term) asked() *term {
	if t.name == "not" {
		return t.args[0]
	}
	return t
}

func (t *term) isVariable() bool { return t.name[0] == '?' }

// rule is a rule without or and and.
type rule struct {
	head *term
	body []*term
	pos  kif.Pos
}

// facts is a set of ground atoms.
type facts struct {
	parent *facts // further facts; may be nil
	known  map[string]bool
	list   map[string][]*term   // by signature
	index  map[indexKey][]*term // by an argument
}

type indexKey struct {
	signature string
	position  int
	value     string
}

func newFacts(parent *facts) *facts {
	return &facts{parent: parent, known: map[string]bool{}, list: map[string][]*term{}, index: map[indexKey][]*term{}}
}

func (f *facts) of(signature string) []*term {
	if f.parent == nil {
		return f.list[signature]
	}
	return slices.Concat(f.parent.of(signature), f.list[signature])
}

func (f *facts) has(text string) bool { return f.known[text] || f.parent != nil && f.parent.has(text) }

func (f *facts) add(t *term) bool {
	if f.has(t.text) {
		return false
	}
	f.known[t.text] = true
	f.list[t.signature] = append(f.list[t.signature], t)
	for i, a := range keys(t) {
		k := indexKey{t.signature, i, a.text}
		f.index[k] = append(f.index[k], t)
	}
	return true
}

// keys are the parts of an atom that the index uses: its arguments, then those of its last argument.
func keys(t *term) []*term {
	if n := len(t.args); n > 0 && len(t.args[n-1].args) > 0 {
		return slices.Concat(t.args, t.args[n-1].args)
	}
	return t.args
}

// candidates calls visit with each fact that may match the pattern.
func (f *facts) candidates(pattern *term, visit func(*term)) {
	if f.parent != nil {
		f.parent.candidates(pattern, visit)
	}
	best := f.list[pattern.signature]
	if len(best) > 1 {
		for i, a := range keys(pattern) {
			if a.text == "" {
				continue
			}
			if list := f.index[indexKey{pattern.signature, i, a.text}]; len(list) < len(best) {
				best = list
			}
		}
	}
	for _, t := range best {
		visit(t)
	}
}

// derive adds what follows by the rules of a layer.
func (f *facts) derive(l layer) error {
	var fresh []*term
	add := func(t *term) {
		if f.add(t) {
			fresh = append(fresh, t)
		}
	}
	for _, r := range l.rules {
		heads, err := f.heads(r, nil, nil)
		if err != nil {
			return err
		}
		for _, h := range heads {
			add(h)
		}
	}
	for len(fresh) > 0 {
		news := newFacts(nil)
		for _, t := range fresh {
			news.add(t)
		}
		fresh = nil
		if len(f.known) > 3_000_000 {
			return kif.Errorf(l.rules[0].pos, "more than three million facts")
		}
		for _, r := range l.rules {
			for _, t := range r.body {
				if !l.recursive[t.signature] {
					continue
				}
				heads, err := f.heads(r, t, news)
				if err != nil {
					return err
				}
				for _, h := range heads {
					add(h)
				}
			}
		}
	}
	return nil
}

type binding struct {
	variable string
	value    *term
}

// heads returns the heads of a rule for all bindings under which its body holds. If from is a literal of the body, only
// facts of news match it.
func (f *facts) heads(r rule, from *term, news *facts) (heads []*term, err error) {
	var solve func(body []*term, env []binding)
	solve = func(body []*term, env []binding) {
		if err != nil {
			return
		}
		if len(body) == 0 {
			h := substitute(r.head, env)
			if h.text == "" {
				err = kif.Errorf(r.pos, "the head of this rule has a free variable")
				return
			}
			heads = append(heads, h)
			return
		}
		pick := 0
		if body[0] != from {
			pick = next(body, env)
		}
		if pick < 0 {
			err = kif.Errorf(r.pos, "a variable of this rule is free in a negation")
			return
		}
		l := substitute(body[pick], env)
		rest := slices.Concat(body[:pick], body[pick+1:])
		visit := func(fact *term) {
			if e, ok := match(l, fact, env[:len(env):len(env)]); ok {
				solve(rest, e)
			}
		}
		switch a := l.asked(); {
		case a.name == "distinct":
			if (a.args[0].text != a.args[1].text) == (l == a) {
				solve(rest, env)
			}
		case l != a:
			if !f.has(a.text) {
				solve(rest, env)
			}
		case body[pick] == from:
			news.candidates(l, visit)
		default:
			f.candidates(l, visit)
		}
	}
	body := r.body
	if from != nil {
		i := slices.Index(body, from)
		body = slices.Concat(body[i:i+1], body[:i], body[i+1:])
	}
	solve(body, nil)
	return heads, err
}

// next returns the index of the literal to solve next: the first test on ground terms, or else the positive literal with
// most ground arguments; -1 if there is none.
func next(body []*term, env []binding) int {
	pick, most := -1, -1
	for i, l := range body {
		s := substitute(l, env)
		if s.text != "" {
			return i
		}
		if l.name == "not" || l.name == "distinct" {
			continue
		}
		ground := 0
		for _, a := range keys(s) {
			if a.text != "" {
				ground++
			}
		}
		if ground > most {
			pick, most = i, ground
		}
	}
	return pick
}

func substitute(t *term, env []binding) *term {
	if t.text != "" {
		return t
	}
	if t.isVariable() {
		for _, b := range env {
			if b.variable == t.name {
				return b.value
			}
		}
		return t
	}
	args := make([]*term, len(t.args))
	for i, a := range t.args {
		args[i] = substitute(a, env)
	}
	return atom(t.name, args...)
}

// match extends env so that the pattern becomes the fact.
func match(pattern, fact *term, env []binding) ([]binding, bool) {
	if pattern.text != "" {
		return env, pattern.text == fact.text
	}
	if pattern.isVariable() {
		for _, b := range env {
			if b.variable == pattern.name {
				return env, b.value.text == fact.text
			}
		}
		return append(env, binding{pattern.name, fact}), true
	}
	if pattern.signature != fact.signature {
		return env, false
	}
	for i := range pattern.args {
		var ok bool
		if env, ok = match(pattern.args[i], fact.args[i], env); !ok {
			return env, false
		}
	}
	return env, true
}
