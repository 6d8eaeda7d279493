package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
)

// Game is a rule sheet ready for play. It numbers terms as it meets them, so only one goroutine at a time may use it
// and its positions.
type Game struct {
	Roles []string

	terms     *terms
	byState   []layer // rules that depend on true, lower strata first
	byMoves   []layer // rules that depend on does, lower strata first
	buffer    [16]id
	static    *facts // facts that depend on neither
	start     []id   // the initial fluents
	predicate predicates
}

// predicates are the functors of GDL.
type predicates struct{ role, init, true, does, legal, next, goal, terminal id }

// layer is a stratum: rules whose predicates depend on each other.
type layer struct {
	plans     []plan
	recursive bool // some rule depends on facts of this layer
}

// plan is a rule with an order in which to solve its literals.
type plan struct {
	rule
	steps   []step
	decided int // number of steps after which all variables of the head have values
}

// newPlan returns the plan of a rule whose steps are ordered, and counts those that decide its head.
func newPlan(r rule, steps []step) plan {
	p := plan{rule: r, steps: steps}
	bound := make([]bool, r.variables)
	for !isBound(&r.head, bound) {
		for _, v := range steps[p.decided].binds {
			bound[v] = true
		}
		p.decided++
	}
	return p
}

// Position is a position of a game with all facts that hold in it.
type Position struct {
	True []string // the true fluents, sorted

	game  *Game
	facts *facts
}

// New reads a sheet. It returns an error if rules are unsafe or not stratified.
func New(text string) (*Game, error) {
	read, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	t := newTerms()
	p := predicates{
		role: t.functor("role", 1), init: t.functor("init", 1), true: t.functor("true", 1), does: t.functor("does", 2),
		legal: t.functor("legal", 2), next: t.functor("next", 1), goal: t.functor("goal", 2), terminal: t.functor("terminal", 0),
	}
	g := &Game{terms: t, predicate: p}
	var rules []rule
	for _, r := range kif.SplitGoals(read) {
		for _, body := range alternatives(r.Body) {
			rules = append(rules, t.rule(r.Head, body, r.Pos))
		}
	}
	static, err := g.addLayers(rules)
	if err != nil {
		return nil, err
	}
	g.static = newFacts(g, nil)
	if err := g.static.deriveAll(static); err != nil {
		return nil, err
	}
	for _, f := range g.static.of(p.role) {
		g.Roles = append(g.Roles, t.text(t.list[f].args[0]))
	}
	for _, f := range g.static.of(p.init) {
		g.start = append(g.start, t.list[f].args[0])
	}
	return g, nil
}

// addLayers sorts the rules into layers: byState depends on true, byMoves on does. It returns the layers that depend on
// neither.
func (g *Game) addLayers(rules []rule) (static []layer, err error) {
	strata, err := g.strata(rules)
	if err != nil {
		return nil, err
	}
	lists := map[id]*[]layer{g.predicate.true: &g.byState, g.predicate.does: &g.byMoves} // by predicate, or nil: static
	for _, rules := range strata {
		l, err := newLayer(rules)
		if err != nil {
			return nil, err
		}
		to := &static
		for _, r := range rules {
			for i := range r.body {
				if from := lists[r.body[i].atom.functor]; from == &g.byMoves || from != nil && to == &static {
					to = from
				}
			}
		}
		if to != &static {
			for _, r := range rules {
				lists[r.head.functor] = to
			}
		}
		*to = append(*to, l)
	}
	for _, predicate := range []id{g.predicate.legal, g.predicate.goal, g.predicate.terminal} {
		if lists[predicate] == &g.byMoves {
			return nil, fmt.Errorf("%s depends on does", g.terms.list[predicate].name)
		}
	}
	return static, nil
}

// newLayer plans the rules of a layer.
func newLayer(rules []rule) (l layer, err error) {
	heads := map[id]bool{}
	for _, r := range rules {
		heads[r.head.functor] = true
	}
	for _, r := range rules {
		steps, err := r.plan()
		if err != nil {
			return l, err
		}
		l.plans = append(l.plans, newPlan(r, steps))
		l.recursive = l.recursive || slices.ContainsFunc(r.body, func(x literal) bool { return heads[x.atom.functor] })
	}
	return l, nil
}

// alternatives returns the disjunctive normal form of a body. Only atoms of the body are negated, because package kif has
// moved negations inwards.
func alternatives(body []kif.Term) [][]kif.Term {
	result := [][]kif.Term{nil}
	for _, l := range body {
		choices := [][]kif.Term{{l}}
		switch l.Name {
		case "or":
			choices = nil
			for _, a := range l.Args {
				choices = append(choices, alternatives([]kif.Term{a})...)
			}
		case "and":
			choices = alternatives(l.Args)
		}
		var next [][]kif.Term
		for _, r := range result {
			for _, c := range choices {
				next = append(next, slices.Concat(r, c))
			}
		}
		result = next
	}
	return result
}

// strata splits rules into strata: the strongly connected components of their predicates, in topological order.
func (g *Game) strata(rules []rule) ([][]rule, error) {
	byHead := map[id][]rule{}
	var order []id
	for _, r := range rules {
		h := r.head.functor
		if byHead[h] == nil {
			order = append(order, h)
		}
		byHead[h] = append(byHead[h], r)
	}
	dependencies := func(h id) (list []id) {
		for _, r := range byHead[h] {
			for i := range r.body {
				list = append(list, r.body[i].atom.functor)
			}
		}
		return list
	}
	var strata [][]rule
	for _, component := range ground.Components(order, dependencies) {
		var stratum []rule
		for _, h := range component {
			stratum = append(stratum, byHead[h]...)
		}
		for _, r := range stratum {
			for _, l := range r.body {
				if l.kind == fails && slices.Contains(component, l.atom.functor) {
					return nil, kif.Errorf(r.pos, "%s depends on its own negation", g.terms.list[r.head.functor].name)
				}
			}
		}
		if len(stratum) > 0 {
			strata = append(strata, stratum)
		}
	}
	return strata, nil
}

// Start returns the first position.
func (g *Game) Start() (*Position, error) { return g.position(g.start) }

// position returns the position of the given fluents, and derives its facts.
func (g *Game) position(fluents []id) (*Position, error) {
	p := &Position{game: g, facts: newFacts(g, g.static)}
	for _, n := range fluents {
		p.True = append(p.True, g.terms.text(n))
		p.facts.add(g.terms.extend(g.predicate.true, n, true))
	}
	slices.Sort(p.True)
	return p, p.facts.deriveAll(g.byState)
}

// texts returns the texts of one argument of all facts with the given functor and role as first argument.
func (p *Position) texts(functor id, role string, argument int) []string {
	t := p.game.terms
	var list []string
	for _, f := range p.facts.of(functor) {
		if args := t.list[f].args; t.text(args[0]) == role {
			list = append(list, t.text(args[argument]))
		}
	}
	return list
}

// Legal returns the legal moves of a role, in order.
func (p *Position) Legal(role string) []string {
	list := p.texts(p.game.predicate.legal, role, 1)
	slices.Sort(list)
	return list
}

// Terminal reports whether the game is over.
func (p *Position) Terminal() bool { return p.facts.has(p.game.predicate.terminal) }

// Goals returns the values of all goals of a role that hold, sorted; at the end there should be exactly one. A value
// that is not a number becomes -1.
func (p *Position) Goals(role string) []int {
	var list []int
	for _, text := range p.texts(p.game.predicate.goal, role, 1) {
		v, err := strconv.Atoi(text)
		if err != nil {
			v = -1
		}
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// Next returns the position after the moves of all roles, in the order of Roles.
func (p *Position) Next(moves []string) (*Position, error) {
	g := p.game
	f := newFacts(g, p.facts)
	for i, m := range moves {
		nodes, err := kif.Read(m)
		if err != nil || len(nodes) != 1 {
			return nil, fmt.Errorf("%q is not a move (%v)", m, err)
		}
		t, err := kif.NewTerm(nodes[0])
		if err != nil {
			return nil, err
		}
		does := g.terms.pattern(kif.Term{Name: "does", Args: []kif.Term{{Name: g.Roles[i]}, t}}, map[string]int{})
		if does.ground == 0 {
			return nil, fmt.Errorf("%s has a variable", m)
		}
		f.add(does.ground)
	}
	if err := f.deriveAll(g.byMoves); err != nil {
		return nil, err
	}
	var fluents []id
	for _, n := range f.of(g.predicate.next) {
		fluents = append(fluents, g.terms.list[n].args[0])
	}
	return g.position(fluents)
}

// Random returns a random legal move of each role; nil if some role has none.
func (p *Position) Random(rng *rand.Rand) []string {
	var moves []string
	for _, role := range p.game.Roles {
		legal := p.Legal(role)
		if len(legal) == 0 {
			return nil
		}
		moves = append(moves, legal[rng.IntN(len(legal))])
	}
	return moves
}
