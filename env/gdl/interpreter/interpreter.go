package interpreter

import (
	"context"
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

	text        string // the sheet
	maxTerms    int
	terms       terms
	predicate   predicates
	rules       map[int32][]rule // by functor of the head
	class       map[int32]class  // by functor
	procedures  map[call]*procedure
	static      *layer
	start       []id    // the initial fluents
	legal, goal []*step // by role, the questions for them
	next        *step
	terminal    pattern

	stopped func() error // returns an error once the context of Within has ended
	err     error        // see Err
	steps   int          // taken so far
}

// predicates are the functors of GDL.
type predicates struct{ role, init, true, does, legal, next, goal, terminal int32 }

// call is a relation with the set of the arguments that are given.
type call struct {
	functor int32
	mask    uint64
}

// Position is a position of a game.
type Position struct {
	game  *Game
	state *layer
	over  bool
}

// maxArguments is the largest number of arguments of a relation.
const maxArguments = 64

// New reads a sheet. It returns an error if rules are unsafe or not stratified, if ctx ends first, or if more than
// maxTerms terms are met, here or later; each takes about [BytesPerTerm]. Evaluations stop when ctx ends, see
// [Game.Within].
func New(ctx context.Context, text string, maxTerms int) (*Game, error) {
	read, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	t := terms{ground.NewTerms()}
	g := &Game{text: text, terms: t, rules: map[int32][]rule{}, procedures: map[call]*procedure{}, static: newLayer(), maxTerms: maxTerms}
	g.Within(ctx)
	g.terminal = t.pattern(kif.Term{Name: "terminal"}, nil)
	g.predicate = predicates{
		role: t.Functor("role", 1), init: t.Functor("init", 1), true: t.Functor("true", 1), does: t.Functor("does", 2),
		legal: t.Functor("legal", 2), next: t.Functor("next", 1), goal: t.Functor("goal", 2), terminal: t.Functor("terminal", 0),
	}
	var order []int32 // the heads of rules
	var expander kif.Expander
	for _, r := range kif.SplitGoals(read) {
		g.check()
		if g.err != nil {
			return nil, g.err
		}
		bodies, err := expander.Expand(r.Body, r.Pos)
		if err != nil {
			return nil, err
		}
		for _, body := range bodies {
			compiled := t.rule(r.Head, body, r.Pos)
			if err := g.add(compiled); err != nil {
				return nil, err
			}
			order = append(order, compiled.head.functor)
		}
	}
	if err := g.classify(order); err != nil {
		return nil, err
	}
	return g, g.begin()
}

// add adds a rule or a fact.
func (g *Game) add(r rule) error {
	if len(r.head.args) > maxArguments {
		return kif.Errorf(r.pos, "a relation with %d arguments; at most %d are supported", len(r.head.args), maxArguments)
	}
	if _, err := r.plan(nil); err != nil {
		return err
	}
	if len(r.body) == 0 {
		g.static.facts.add(g.terms, r.head.ground)
		return nil
	}
	g.rules[r.head.functor] = append(g.rules[r.head.functor], r)
	return nil
}

// begin finds the roles and the initial fluents.
func (g *Game) begin() error {
	p := &proof{game: g, layers: [classes]*layer{g.static}}
	for _, f := range p.all(g.query(g.predicate.role, 1, 0)) {
		role := g.terms.Args(f)[0]
		g.Roles = append(g.Roles, g.terms.Text(role))
		g.legal = append(g.legal, g.query(g.predicate.legal, 2, role))
		g.goal = append(g.goal, g.query(g.predicate.goal, 2, role))
	}
	for _, f := range p.all(g.query(g.predicate.init, 1, 0)) {
		g.start = append(g.start, g.terms.Args(f)[0])
	}
	g.next = g.query(g.predicate.next, 1, 0)
	return g.err
}

// query returns the question for the facts of a relation with the given number of arguments, of which the first is the
// given one, 0 for any.
func (g *Game) query(functor int32, arity int, first id) *step {
	atom := pattern{variable: -1, functor: functor}
	for i := range arity {
		atom.args = append(atom.args, pattern{variable: i})
	}
	if first != 0 {
		atom.args[0] = pattern{ground: first, variable: -1, functor: g.terms.FunctorOf(first)}
	}
	s := newStep(literal{holds, atom}, make([]bool, arity))
	return &s
}

// procedure returns the rules of a functor, given the arguments in a set.
func (g *Game) procedure(functor int32, mask uint64) *procedure {
	key := call{functor, mask}
	pr := g.procedures[key]
	if pr != nil {
		return pr
	}
	pr = &procedure{number: uint64(len(g.procedures)), class: g.class[functor]}
	g.procedures[key] = pr
	for place := range maxArguments {
		if mask>>place&1 != 0 {
			pr.places = append(pr.places, place)
		}
	}
	for _, r := range g.rules[functor] {
		pr.ground = len(pr.places) == len(r.head.args)
		pl, err := r.plan(pr.places)
		if err != nil {
			panic("interpreter: a rule that add accepted has no plan")
		}
		pr.plans = append(pr.plans, pl)
	}
	return pr
}

// classify finds the class of each relation, and returns an error if the rules are not stratified. order lists the
// relations.
func (g *Game) classify(order []int32) error {
	g.class = map[int32]class{g.predicate.true: ofState, g.predicate.does: ofMoves}
	dependencies := func(h int32) (list []int32) {
		for _, r := range g.rules[h] {
			for i := range r.body {
				list = append(list, r.body[i].atom.functor)
			}
		}
		return list
	}
	for _, component := range ground.Components(order, dependencies) {
		highest := static
		for _, h := range component {
			highest = max(highest, g.class[h])
			for _, r := range g.rules[h] {
				for _, l := range r.body {
					highest = max(highest, g.class[l.atom.functor])
					if l.kind == fails && slices.Contains(component, l.atom.functor) {
						return kif.Errorf(r.pos, "%s depends on its own negation", g.terms.FunctorName(r.head.functor))
					}
				}
			}
		}
		for _, h := range component {
			g.class[h] = highest
		}
	}
	for functor, most := range map[int32]class{
		g.predicate.role: static, g.predicate.init: static,
		g.predicate.legal: ofState, g.predicate.goal: ofState, g.predicate.terminal: ofState,
	} {
		if c := g.class[functor]; c > most {
			return fmt.Errorf("%s depends on %s", g.terms.FunctorName(functor), [classes]string{"", "true", "does"}[c])
		}
	}
	return nil
}

// Within makes the evaluations from now on stop when ctx ends, and forgets the error of an earlier one.
func (g *Game) Within(ctx context.Context) {
	g.stopped, g.err = func() error { return context.Cause(ctx) }, nil
}

// Err returns the error that stopped an evaluation: the context's, or that there are too many terms. What a position
// has answered since then is wrong.
func (g *Game) Err() error { return g.err }

// fail records the first error; nil is none.
func (g *Game) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// step counts a step of an evaluation, and checks the limits now and then.
func (g *Game) step() {
	g.steps++
	if g.steps%checked == 0 {
		g.check()
	}
}

// check fails if the context has ended or there are too many terms.
func (g *Game) check() {
	g.fail(g.stopped())
	if g.terms.Len() > g.maxTerms {
		g.fail(fmt.Errorf("more than %d terms", g.maxTerms))
	}
}

// Renewed returns the position itself, or the same position of a new game if this one has collected many terms. It
// stops when ctx ends, and so do the new game's evaluations.
func (p *Position) Renewed(ctx context.Context) (*Position, error) {
	if p.game.terms.Len() < p.game.maxTerms/2 {
		return p, nil
	}
	g, err := New(ctx, p.game.text, p.game.maxTerms)
	if err != nil {
		return nil, err
	}
	var fluents []id
	for _, text := range p.True() {
		n, err := g.Number(text)
		if err != nil {
			return nil, err
		}
		fluents = append(fluents, id(n))
	}
	return g.position(fluents)
}

// Start returns the first position.
func (g *Game) Start() (*Position, error) { return g.position(g.start) }

// position returns the position of the given fluents.
func (g *Game) position(fluents []id) (*Position, error) {
	p := &Position{game: g, state: newLayer()}
	for _, n := range fluents {
		p.state.facts.add(g.terms, g.terms.Add(g.predicate.true, []id{n}))
	}
	p.over = p.proof().holds(&g.terminal, nil)
	return p, g.err
}

func (p *Position) proof() *proof {
	return &proof{game: p.game, layers: [classes]*layer{p.game.static, p.state}}
}

// arguments returns one argument of each fact that answers a question.
func (p *Position) arguments(pr *proof, q *step, argument int) []id {
	list := pr.all(q)
	for i, n := range list {
		list[i] = p.game.terms.Args(n)[argument]
	}
	return list
}

// texts returns the texts of terms, sorted.
func (g *Game) texts(list []id) []string {
	var texts []string
	for _, n := range list {
		texts = append(texts, g.terms.Text(n))
	}
	slices.Sort(texts)
	return texts
}

// True returns the true fluents, sorted.
func (p *Position) True() []string {
	var list []id
	for n := range p.state.facts.known {
		list = append(list, p.game.terms.Args(n)[0])
	}
	return p.game.texts(list)
}

// Moves returns the numbers of the legal moves of a role, which is given by its index.
func (p *Position) Moves(role int) (list []int32) {
	for _, m := range p.arguments(p.proof(), p.game.legal[role], 1) {
		list = append(list, int32(m))
	}
	return list
}

// Game returns the game of the position.
func (p *Position) Game() *Game { return p.game }

// Text returns the term of a number as text.
func (g *Game) Text(m int32) string { return g.terms.Text(id(m)) }

// Legal returns the legal moves of a role, sorted.
func (p *Position) Legal(role string) []string {
	return p.game.texts(p.arguments(p.proof(), p.game.legal[slices.Index(p.game.Roles, role)], 1))
}

// Terminal reports whether the game is over.
func (p *Position) Terminal() bool { return p.over }

// Goals returns the values of all goals of a role that hold, sorted; at the end there should be exactly one. A value
// that is not a number becomes -1.
func (p *Position) Goals(role string) []int {
	var list []int
	for _, n := range p.arguments(p.proof(), p.game.goal[slices.Index(p.game.Roles, role)], 1) {
		v, err := strconv.Atoi(p.game.terms.Text(n))
		if err != nil {
			v = -1
		}
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// Play returns the position after the moves of all roles, in the order of Roles.
func (p *Position) Play(moves []int32) (*Position, error) {
	g := p.game
	pr := p.proof()
	pr.layers[ofMoves] = newLayer()
	for i, m := range moves {
		role := g.legal[i].atom.args[0].ground
		pr.layers[ofMoves].facts.add(g.terms, g.terms.Add(g.predicate.does, []id{role, id(m)}))
	}
	return g.position(p.arguments(pr, g.next, 0))
}

// Number returns the number of the term, such as a move, with a text.
func (g *Game) Number(text string) (int32, error) {
	t, err := kif.ReadTerm(text)
	if err != nil {
		return 0, err
	}
	m := g.terms.pattern(t, map[string]int{})
	if m.ground == 0 {
		return 0, fmt.Errorf("%s has a variable", text)
	}
	return int32(m.ground), nil
}

// Next is Play for moves as text.
func (p *Position) Next(texts []string) (*Position, error) {
	var moves []int32
	for _, text := range texts {
		m, err := p.game.Number(text)
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return p.Play(moves)
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
