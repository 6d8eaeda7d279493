package ground

import (
	"slices"

	"ludus/env/gdl/kif"
)

// relevant returns the rules that play and goals depend on, without others such as those for base and input. Of these
// it returns the facts, such as a succ that only base or input rules use: package gdl looks in them for the order of a
// board's coordinates.
func relevant(rules []kif.Rule) (needed []kif.Rule, others []kif.Term) {
	byHead := map[symbol][]kif.Rule{}
	for _, r := range rules {
		byHead[symbolOf(r.Head)] = append(byHead[symbolOf(r.Head)], r)
	}
	seen := map[symbol]bool{}
	var visit func(s symbol)
	visit = func(s symbol) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, r := range byHead[s] {
			for _, a := range kif.Atoms(r.Body) {
				visit(symbolOf(a))
			}
		}
	}
	for _, name := range []string{"role", "init", "next", "legal", "goal", "terminal"} {
		visit(symbol{name, keywords[name]})
	}
	for _, r := range rules {
		switch {
		case seen[symbolOf(r.Head)]:
			needed = append(needed, r)
		case len(r.Body) == 0 && len(variables([]kif.Term{r.Head})) == 0:
			others = append(others, r.Head)
		}
	}
	return needed, others
}

// class tells what the atoms of a relation depend on.
type class int

const (
	static  class = iota // nothing
	ofState              // true
	ofMoves              // does, too
)

// classes bounds the classes of GDL's relations.
var classes = map[string]class{"role": static, "init": static, "legal": ofState, "goal": ofState, "terminal": ofState}

// layers splits the rules into strata: the strongly connected components of their head relations, in topological order.
// It sets the class of each relation. It returns an error if the rules are not stratified, or if a relation of GDL
// depends on what it must not depend on.
func (g *grounder) layers() ([][]*rule, error) {
	byHead := map[*relation][]*rule{}
	var heads []*relation
	for _, r := range g.rules {
		heads = append(heads, r.relation)
		byHead[r.relation] = append(byHead[r.relation], r)
	}
	for _, name := range []string{"true", "does", "next", "legal", "goal", "terminal"} {
		g.relation(symbol{name, keywords[name]}).class = ofState
	}
	g.does = g.relations[symbol{"does", 2}]
	g.does.class = ofMoves
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
		if err := classify(component, layer); err != nil {
			return nil, err
		}
		if len(layer) > 0 {
			layers = append(layers, layer)
		}
	}
	return layers, nil
}

// classify sets the class of the relations of a component: the highest of theirs and of those that their rules, the
// layer, depend on. It returns an error if one depends on its own negation, so that the rules are not stratified, or if
// the class of one is too high.
func classify(component []*relation, layer []*rule) error {
	highest := static
	for _, r := range component {
		highest = max(highest, r.class)
	}
	for _, r := range layer {
		for _, l := range r.literals {
			if l.relation == nil {
				continue
			}
			if l.negated && slices.Contains(component, l.relation) {
				return kif.Errorf(r.pos, "%s depends on its own negation", r.relation.symbol.name)
			}
			highest = max(highest, l.relation.class)
		}
	}
	for _, r := range component {
		r.class = highest
	}
	for _, r := range layer {
		name := r.relation.symbol.name
		if most, bounded := classes[name]; bounded && highest > most {
			if most == static {
				return kif.Errorf(r.pos, "%s depends on the position", name)
			}
			return kif.Errorf(r.pos, "%s depends on does: it must depend on the position alone", name)
		}
	}
	return nil
}
