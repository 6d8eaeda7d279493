package ggp

import "ludus/env/gdl/kif"

// names translates between the names of a match and those of its rules; nil changes nothing.
type names struct{ inward, outward map[string]string }

// in returns the name of the rules for a name of the match.
func (n *names) in(name string) string {
	if n != nil {
		if to, ok := n.inward[name]; ok {
			return to
		}
	}
	return name
}

// term returns the text of a term of the match in the names of the rules.
func (n *names) term(t kif.Term) string {
	if n == nil {
		return t.String()
	}
	return rename(t, n.inward).String()
}

// out returns a move of the rules in the names of the match.
func (n *names) out(move string) string {
	if n == nil {
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

// rename returns a copy of a term with other names.
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
