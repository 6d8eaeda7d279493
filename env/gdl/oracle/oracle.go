// Package oracle plays games by their rule sheets slowly and obviously: it derives every fact of a position from the
// rules as they are written, variables and all. Tests compare fast code with it, and a match server of tests runs on it.
//
// It evaluates bottom-up, stratum by stratum (Apt, Blair and Walker 1988). It shares only the reader with the code that
// it checks.
package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"ludus/env/gdl/kif"
)

// Game is a rule sheet, ready for play.
type Game struct {
	Roles  []string
	layers []layer
	static *facts // facts that depend on neither the position nor the moves
	start  []*term
}

// layer are rules whose heads depend on each other, or a single predicate's. Lower layers come first.
type layer struct {
	rules     []rule
	recursive map[string]bool // signatures of the heads if they depend on each other
}

// Position is a state of a game with the facts that hold in it.
type Position struct {
	True []string // fluents, in order

	game  *Game
	state []*term
	facts *facts
}

// New reads a sheet.
func New(text string) (*Game, error) {
	read, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	var rules []rule
	for _, r := range kif.SplitGoals(read) {
		for _, body := range alternatives(r.Body) {
			rule := rule{head: newTerm(r.Head), pos: r.Pos}
			for _, l := range body {
				rule.body = append(rule.body, newTerm(l))
			}
			rules = append(rules, rule)
		}
	}
	g := &Game{static: newFacts(nil)}
	layers, err := layersOf(rules)
	if err != nil {
		return nil, err
	}
	moving := map[string]bool{"true/1": true, "does/2": true}
	for _, l := range layers {
		depends := func(r rule) bool {
			return slices.ContainsFunc(r.body, func(t *term) bool { return moving[t.asked().signature] })
		}
		if slices.ContainsFunc(l.rules, depends) {
			for _, r := range l.rules {
				moving[r.head.signature] = true
			}
			g.layers = append(g.layers, l)
		} else if err := g.static.derive(l); err != nil {
			return nil, err
		}
	}
	for _, f := range g.static.list["role/1"] {
		g.Roles = append(g.Roles, f.args[0].text)
	}
	for _, f := range g.static.list["init/1"] {
		g.start = append(g.start, f.args[0])
	}
	return g, nil
}

// alternatives returns the bodies that or and and stand for.
func alternatives(body []kif.Term) [][]kif.Term {
	result := [][]kif.Term{nil}
	for _, l := range body {
		var choices [][]kif.Term
		switch l.Name {
		case "or":
			for _, a := range l.Args {
				choices = append(choices, alternatives([]kif.Term{a})...)
			}
		case "and":
			choices = alternatives(l.Args)
		case "not":
			choices = negation(l.Args[0])
		default:
			choices = [][]kif.Term{{l}}
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

// negation returns the alternatives of (not l).
func negation(l kif.Term) [][]kif.Term {
	switch l.Name {
	case "not":
		return alternatives(l.Args)
	case "or": // all of them fail
		var all []kif.Term
		for _, a := range l.Args {
			all = append(all, kif.Term{Name: "not", Args: []kif.Term{a}, Pos: l.Pos})
		}
		return alternatives(all)
	case "and":
		var list [][]kif.Term
		for _, a := range l.Args {
			list = append(list, negation(a)...)
		}
		return list
	}
	return [][]kif.Term{{{Name: "not", Args: []kif.Term{l}, Pos: l.Pos}}}
}

// layersOf orders rules: what a body asks for is derived before, or at the same time if the two depend on each other.
func layersOf(rules []rule) ([]layer, error) {
	byHead := map[string][]rule{}
	var order []string
	for _, r := range rules {
		h := r.head.signature
		if byHead[h] == nil {
			order = append(order, h)
		}
		byHead[h] = append(byHead[h], r)
	}
	// Tarjan's strongly connected components.
	var layers []layer
	number, low := map[string]int{}, map[string]int{}
	var stack []string
	open := map[string]bool{}
	var visit func(h string)
	visit = func(h string) {
		number[h] = len(number) + 1
		low[h] = number[h]
		stack = append(stack, h)
		open[h] = true
		for _, r := range byHead[h] {
			for _, t := range r.body {
				to := t.asked().signature
				if number[to] == 0 {
					visit(to)
					low[h] = min(low[h], low[to])
				} else if open[to] {
					low[h] = min(low[h], number[to])
				}
			}
		}
		if low[h] < number[h] {
			return
		}
		l := layer{recursive: map[string]bool{}}
		for {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			open[top] = false
			l.rules = append(l.rules, byHead[top]...)
			l.recursive[top] = true
			if top == h {
				break
			}
		}
		layers = append(layers, l)
	}
	for _, h := range order {
		if number[h] == 0 {
			visit(h)
		}
	}
	for _, l := range layers {
		for _, r := range l.rules {
			for _, t := range r.body {
				if t.name == "not" && l.recursive[t.args[0].signature] {
					return nil, kif.Errorf(r.pos, "%s depends on its own negation", r.head.name)
				}
			}
		}
	}
	return layers, nil
}

// Start returns the first position.
func (g *Game) Start() (*Position, error) { return g.position(g.start) }

// position derives what holds in a state.
func (g *Game) position(state []*term) (*Position, error) {
	p := &Position{game: g, state: state}
	for _, t := range state {
		p.True = append(p.True, t.text)
	}
	slices.Sort(p.True)
	var err error
	p.facts, err = g.derive(state, nil)
	return p, err
}

// derive returns all facts that follow from a state and from moves.
func (g *Game) derive(state, moves []*term) (*facts, error) {
	f := newFacts(g.static)
	for _, t := range state {
		f.add(atom("true", t))
	}
	for _, m := range moves {
		f.add(m)
	}
	for _, l := range g.layers {
		if err := f.derive(l); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Legal returns the legal moves of a role, in order.
func (p *Position) Legal(role string) []string {
	var list []string
	for _, f := range p.facts.of("legal/2") {
		if f.args[0].text == role {
			list = append(list, f.args[1].text)
		}
	}
	slices.Sort(list)
	return list
}

// Terminal reports whether the game is over.
func (p *Position) Terminal() bool { return p.facts.has("terminal") }

// Goals returns the values of a role's goals that hold, in order; there should be one at the end. A value that is no
// number is -1.
func (p *Position) Goals(role string) []int {
	var list []int
	for _, f := range p.facts.of("goal/2") {
		if f.args[0].text == role {
			v, err := strconv.Atoi(f.args[1].name)
			if err != nil {
				v = -1
			}
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list
}

// Next returns the position after the moves of all roles, in the order of Roles.
func (p *Position) Next(moves []string) (*Position, error) {
	var does []*term
	for i, m := range moves {
		nodes, err := kif.Read(m)
		if err != nil || len(nodes) != 1 {
			return nil, fmt.Errorf("%q is not a move (%v)", m, err)
		}
		t, err := kif.NewTerm(nodes[0])
		if err != nil {
			return nil, err
		}
		does = append(does, atom("does", atom(p.game.Roles[i]), newTerm(t)))
	}
	f, err := p.game.derive(p.state, does)
	if err != nil {
		return nil, err
	}
	var state []*term
	for _, t := range f.of("next/1") {
		state = append(state, t.args[0])
	}
	return p.game.position(state)
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
