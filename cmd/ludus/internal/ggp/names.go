package ggp

import "ludus/env/gdl/kif"

// names translates the names of a match into those of a network's sheet, and back. It keeps names that it does not hold.
type names struct{ inward, outward map[string]string }

// in translates a name of the match into the sheet's.
func (n names) in(name string) string {
	if to, ok := n.inward[name]; ok {
		return to
	}
	return name
}

// term translates a term of the match and returns it as text.
func (n names) term(t kif.Term) string { return rename(t, n.inward).String() }

// out translates a move with the sheet's names into the match's.
func (n names) out(move string) string {
	if n.outward == nil {
		return move
	}
	nodes, err := kif.Read(move)
	if err != nil || len(nodes) != 1 {
		panic("ggp: a move that is no term")
	}
	t, err := kif.NewTerm(nodes[0])
	if err != nil {
		panic("ggp: a move that is no term")
	}
	return rename(t, n.outward).String()
}

// rename returns a copy of a term with names replaced.
func rename(t kif.Term, names map[string]string) kif.Term {
	if to, ok := names[t.Name]; ok {
		t.Name = to
	}
	args := make([]kif.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = rename(a, names)
	}
	t.Args = args
	return t
}
