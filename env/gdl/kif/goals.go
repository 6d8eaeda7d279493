package kif

import "slices"

// SplitGoals gives each value of goal a predicate of its own, so that one goal may depend on the negation of another:
//
//	(<= (goal x 0) (not (goal x 100)))
//
// becomes two rules, one for the predicate "goal 0" and one for goal. It returns the rules unchanged if no body
// contains a goal, or if the value of any goal, in a head or a body, is a variable.
func SplitGoals(rules []Rule) []Rule {
	asked, fixed := false, true
	for _, r := range rules {
		visitGoals(r.Body, func(t *Term) {
			asked = true
			fixed = fixed && !t.Args[1].IsVariable()
		})
		if isGoal(r.Head) && r.Head.Args[1].IsVariable() {
			fixed = false
		}
	}
	if !asked || !fixed {
		return rules
	}
	split := func(t *Term) { *t = Term{Name: "goal " + t.Args[1].String(), Args: t.Args[:1:1], Pos: t.Pos} }
	var list []Rule
	known := map[string]bool{}
	for _, r := range rules {
		r.Body = slices.Clone(r.Body)
		visitGoals(r.Body, split)
		if isGoal(r.Head) {
			player := Term{Name: "?player", Pos: r.Pos}
			whole := Term{Name: "goal", Args: []Term{player, r.Head.Args[1]}, Pos: r.Head.Pos}
			split(&r.Head)
			if !known[r.Head.Name] {
				known[r.Head.Name] = true
				list = append(list, Rule{Head: whole, Body: []Term{{Name: r.Head.Name, Args: []Term{player}, Pos: r.Pos}}, Pos: r.Pos})
			}
		}
		list = append(list, r)
	}
	return list
}

func isGoal(t Term) bool { return t.Name == "goal" && len(t.Args) == 2 }

// visitGoals calls visit with each goal in the literals. It copies the arguments of connectives first, so that visit may
// change goals in place.
func visitGoals(literals []Term, visit func(t *Term)) {
	for i := range literals {
		t := &literals[i]
		switch _, connective := connectives[t.Name]; {
		case connective && t.Name != "distinct":
			t.Args = slices.Clone(t.Args)
			visitGoals(t.Args, visit)
		case isGoal(*t):
			visit(t)
		}
	}
}
