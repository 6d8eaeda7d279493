package ggp

import "ludus/env/gdl/kif"

// names translates the names of a match into those of a network's sheet, and back. It keeps names that it does not
// hold.
type names struct{ inward, outward map[string]string }

// in translates a name of the match into the sheet's.
func (n names) in(name string) string {
	if to, ok := n.inward[name]; ok {
		return to
	}
	return name
}

// out translates a move with the sheet's names into the match's, in the match's case.
func (n names) out(move string, words *kif.Case) string {
	return rename(move, func(name string) string {
		if to, ok := n.outward[name]; ok {
			name = to
		}
		return words.Written(name)
	})
}

// rename replaces the names in a term, and writes (p) as p.
func rename(text string, to func(string) string) string {
	t, err := kif.ReadTerm(text)
	if err != nil {
		panic("ggp: a move that is no term")
	}
	return t.Rename(to).String()
}
