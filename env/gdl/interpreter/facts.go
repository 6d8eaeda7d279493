package interpreter

// facts is a set of ground atoms.
type facts struct {
	known     map[id]bool
	relations map[int32]*relation // the facts of each functor
}

// relation is the list of atoms of a functor, with an index for each of their parts that was asked for, see terms.parts.
type relation struct {
	list  []id
	index map[int]map[id][]id // index[i][p]: the atoms whose part i is p
}

func newFacts() *facts { return &facts{known: map[id]bool{}, relations: map[int32]*relation{}} }

// add adds an atom. No index must exist yet.
func (f *facts) add(t terms, n id) {
	if f.known[n] {
		return
	}
	f.known[n] = true
	functor := t.FunctorOf(n)
	r := f.relations[functor]
	if r == nil {
		r = &relation{}
		f.relations[functor] = r
	}
	r.list = append(r.list, n)
}

// candidates returns the atoms that may match the atom of a step: those that contain the rarest of its bound parts.
func (f *facts) candidates(t terms, s *step, env environment) []id {
	r := f.relations[s.atom.functor]
	if r == nil {
		return nil
	}
	list := r.list
	for i := range s.parts {
		if len(list) <= 4 {
			break // shorter than a search in the index
		}
		found := r.with(t, s.places[i], t.value(&s.parts[i], env, false))
		if len(found) < len(list) {
			list = found
		}
	}
	return list
}

// with returns the atoms of a relation whose part at a place is the given term.
func (r *relation) with(t terms, place int, part id) []id {
	index := r.index[place]
	if index == nil {
		index = map[id][]id{}
		var buffer [16]id
		for _, n := range r.list {
			if parts := t.parts(n, buffer[:]); place < len(parts) {
				index[parts[place]] = append(index[parts[place]], n)
			}
		}
		if r.index == nil {
			r.index = map[int]map[id][]id{}
		}
		r.index[place] = index
	}
	return index[part]
}
