package oracle

import "ludus/env/gdl/kif"

// facts is a set of ground atoms.
type facts struct {
	game      *Game
	parent    *facts // facts that belong to the set too; may be nil
	known     []uint64
	count     int
	relations map[id]*relation // the facts of each functor
}

// relation is the list of atoms of a functor, with an index by each of their parts, see terms.parts.
type relation struct {
	list  []id
	index []map[id][]id // index[i][p]: the atoms whose part i is p
}

func newFacts(g *Game, parent *facts) *facts {
	return &facts{game: g, parent: parent, known: make([]uint64, len(g.terms.list)/64+1), relations: map[id]*relation{}}
}

func (f *facts) has(n id) bool {
	word := int(n) / 64
	return word < len(f.known) && f.known[word]>>(n%64)&1 != 0 || f.parent != nil && f.parent.has(n)
}

func (f *facts) add(n id) {
	if f.has(n) {
		return
	}
	if word := int(n) / 64; word >= len(f.known) {
		f.known = append(f.known, make([]uint64, word+1+word/4-len(f.known))...)
	}
	f.known[n/64] |= 1 << (n % 64)
	f.count++
	f.index(n)
}

// index adds a fact to its relation.
func (f *facts) index(n id) {
	functor := f.game.terms.list[n].functor
	r := f.relations[functor]
	if r == nil {
		r = &relation{}
		f.relations[functor] = r
	}
	r.list = append(r.list, n)
	for place, part := range f.game.terms.parts(n, f.game.buffer[:]) {
		if place == len(r.index) {
			r.index = append(r.index, map[id][]id{})
		}
		r.index[place][part] = append(r.index[place][part], n)
	}
}

// of returns all facts with a functor.
func (f *facts) of(functor id) []id {
	var list []id
	for ; f != nil; f = f.parent {
		if r := f.relations[functor]; r != nil {
			list = append(list, r.list...)
		}
	}
	return list
}

// candidates returns the facts of this set, without its parent's, that may match the atom of a step: those that contain
// the rarest of its bound parts.
func (f *facts) candidates(s *step, env environment) []id {
	r := f.relations[s.atom.functor]
	if r == nil {
		return nil
	}
	list := r.list
	for i := range s.parts {
		if s.places[i] >= len(r.index) {
			return nil
		}
		found := r.index[s.places[i]][f.game.terms.value(&s.parts[i], env, false)] // false: adds no term
		if len(found) < len(list) {
			list = found
		}
	}
	return list
}

// deriveAll derives the facts of all layers, in their order.
func (f *facts) deriveAll(layers []layer) error {
	for _, l := range layers {
		if err := f.derive(l); err != nil {
			return err
		}
	}
	return nil
}

// maxFacts bounds the facts of a set.
const maxFacts = 3_000_000

// derive adds the facts of a layer. It solves all its rules, repeatedly if they depend on each other, until no fact is
// new.
func (f *facts) derive(l layer) error {
	for before := -1; f.count != before; {
		before = f.count
		for i := range l.plans {
			f.solve(&l.plans[i])
		}
		if f.count > maxFacts {
			return kif.Errorf(l.plans[0].pos, "more than three million facts")
		}
		if !l.recursive {
			return nil
		}
	}
	return nil
}

// solve adds the head of a rule for each assignment of variables that satisfies its body.
func (f *facts) solve(p *plan) {
	t := f.game.terms
	env := make(environment, p.variables)
	// from solves the steps from i on by backtracking, and reports whether it found a solution. Once all variables of
	// the head have values, the first solution is enough.
	var from func(i int) bool
	from = func(i int) bool {
		if i == p.decided { // the head's variables have values
			if n := t.value(&p.head, env, false); n != 0 && f.has(n) { // n is 0 if there is no such term
				return true
			}
		}
		if i == len(p.steps) {
			f.add(t.value(&p.head, env, true))
			return true
		}
		s := &p.steps[i]
		switch s.kind {
		case differ, equal:
			same := t.value(&s.atom.args[0], env, true) == t.value(&s.atom.args[1], env, true)
			return same == (s.kind == equal) && from(i+1)
		case fails:
			n := t.value(&s.atom, env, false)
			return (n == 0 || !f.has(n)) && from(i+1)
		}
		if s.tested {
			n := t.value(&s.atom, env, false)
			return n != 0 && f.has(n) && from(i+1)
		}
		for set := f; set != nil; set = set.parent {
			for _, n := range set.candidates(s, env) {
				found := t.match(&s.atom, n, env) && from(i+1)
				for _, v := range s.binds {
					env[v] = 0
				}
				if found && i >= p.decided {
					return true
				}
			}
		}
		return false
	}
	from(0)
}
