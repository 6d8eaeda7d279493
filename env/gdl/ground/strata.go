package ground

import (
	"slices"

	"ludus/env/gdl/kif"
)

// relevant returns the rules that play and goals depend on, without others such as those for base and input.
func relevant(rules []kif.Rule) []kif.Rule {
	byHead := map[symbol][]kif.Rule{}
	for _, r := range rules {
		byHead[symbolOf(r.Head)] = append(byHead[symbolOf(r.Head)], r)
	}
	needed := map[symbol]bool{}
	var visit func(s symbol)
	visit = func(s symbol) {
		if needed[s] {
			return
		}
		needed[s] = true
		for _, r := range byHead[s] {
			for _, a := range kif.Atoms(r.Body) {
				visit(symbolOf(a))
			}
		}
	}
	for _, name := range []string{"role", "init", "next", "legal", "goal", "terminal"} {
		visit(symbol{name, keywords[name]})
	}
	var list []kif.Rule
	for _, r := range rules {
		if needed[symbolOf(r.Head)] {
			list = append(list, r)
		}
	}
	return list
}

// unused returns the facts of relations that no needed rule defines, such as a succ that only base or input rules use.
// They go to Program.Static, where package gdl looks for the order of a board's coordinates.
func unused(rules, needed []kif.Rule) []kif.Term {
	used := map[symbol]bool{}
	for _, r := range needed {
		used[symbolOf(r.Head)] = true
	}
	var list []kif.Term
	for _, r := range rules {
		if len(r.Body) == 0 && !used[symbolOf(r.Head)] && len(variables([]kif.Term{r.Head})) == 0 {
			list = append(list, r.Head)
		}
	}
	return list
}

// layers splits the rules into strata: the strongly connected components of their head relations, in topological order.
// It marks dynamic relations, those that depend on the position or on moves. It returns an error if the rules are not
// stratified or if role or init depends on the position.
func (g *grounder) layers() ([][]*rule, error) {
	byHead := map[*relation][]*rule{}
	var heads []*relation
	for _, r := range g.rules {
		heads = append(heads, r.relation)
		byHead[r.relation] = append(byHead[r.relation], r)
	}
	for _, name := range []string{"true", "does", "next", "legal", "goal", "terminal"} {
		g.relation(symbol{name, keywords[name]}).dynamic = true
	}
	g.does = g.relations[symbol{"does", 2}]
	dependencies := func(h *relation) (list []*relation) {
		for _, r := range byHead[h] {
			for _, l := range r.literals {
				if l.relation != nil {
					list = append(list, l.relation)
				}
			}
		}
		return list
	}
	var layers [][]*rule
	for _, component := range Components(heads, dependencies) {
		var layer []*rule
		for _, h := range slices.Backward(component) {
			layer = append(layer, byHead[h]...)
		}
		if err := markDynamic(component, layer); err != nil {
			return nil, err
		}
		if len(layer) > 0 {
			layers = append(layers, layer)
		}
	}
	for _, name := range []string{"role", "init"} {
		if r := g.relations[symbol{name, 1}]; r != nil && r.dynamic {
			return nil, kif.Errorf(byHead[r][0].pos, "%s depends on the position", name)
		}
	}
	return layers, g.checkDoes(layers)
}

// markDynamic marks the relations of a component as dynamic if one of them is, or depends on a dynamic relation. It
// returns an error if one depends on its own negation: then the rules are not stratified.
func markDynamic(component []*relation, layer []*rule) error {
	dynamic := slices.ContainsFunc(component, func(r *relation) bool { return r.dynamic })
	for _, r := range layer {
		for i := range r.literals {
			l := &r.literals[i]
			if l.negated && l.relation != nil && slices.Contains(component, l.relation) {
				return kif.Errorf(r.pos, "%s depends on its own negation", r.relation.symbol.name)
			}
			dynamic = dynamic || l.relation != nil && l.relation.dynamic
		}
	}
	for _, r := range component {
		r.dynamic = dynamic
	}
	return nil
}

// checkDoes returns an error if a rule for legal, goal or terminal depends on does.
func (g *grounder) checkDoes(layers [][]*rule) error {
	depends := map[*relation]bool{g.does: true}
	for _, layer := range layers {
		// The relations of a layer depend on each other: if one depends on moves, all do.
		some := false
		for _, r := range layer {
			for i := range r.literals {
				some = some || depends[r.literals[i].relation]
			}
		}
		for _, r := range layer {
			depends[r.relation] = some
		}
		for _, r := range layer {
			if name := r.relation.symbol.name; depends[r.relation] && (name == "legal" || name == "goal" || name == "terminal") {
				return kif.Errorf(r.pos, "%s depends on does: it must depend on the position alone", name)
			}
		}
	}
	return nil
}
