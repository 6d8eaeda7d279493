package interpreter

import (
	"errors"
	"slices"
)

// Limits of an evaluation.
const (
	maxNesting = 20_000  // questions that wait for each other
	checked    = 1 << 10 // steps between looks at the context
)

var errNesting = errors.New("rules need each other without end")

// BytesPerTerm is about the memory of a term and of the answers that mention it. MaxTerms is the usual limit of a game.
const (
	BytesPerTerm = 160
	MaxTerms     = 2 << 20
)

// class tells what the facts of a relation depend on.
type class int

const (
	static  class = iota // nothing
	ofState              // true
	ofMoves              // does, too
	classes
)

// layer holds what is known of the relations of one class.
type layer struct {
	facts  *facts            // without conditions: of the sheet, of true, or of does
	tables map[uint64]*table // by question, see proof.ask
}

func newLayer() *layer { return &layer{newFacts(), map[uint64]*table{}} }

// table holds the answers to a question: the facts of a relation with the given arguments.
type table struct {
	answers  []id
	known    map[id]bool // the answers, once they are many
	ground   bool        // all arguments are given, so there is one answer at most
	complete bool
	repeated bool // the question was asked again while it was being answered
	depth    int  // 1 + index in proof.stack while the question is being answered, else 0
	lowest   int  // least depth of the questions that the answers still wait for
	round    int  // proof.round when the question was last answered
}

// add adds an answer and reports whether it is new.
func (t *table) add(n id) bool {
	if t.has(n) {
		return false
	}
	t.answers = append(t.answers, n)
	switch {
	case t.known != nil:
		t.known[n] = true
	case len(t.answers) > 8:
		t.known = map[id]bool{}
		for _, a := range t.answers {
			t.known[a] = true
		}
	}
	return true
}

func (t *table) has(n id) bool {
	if t.known != nil {
		return t.known[n]
	}
	return slices.Contains(t.answers, n)
}

// proof answers questions in one position, perhaps with moves.
type proof struct {
	game    *Game
	layers  [classes]*layer // those above the position's class are nil
	stack   []*table        // questions that are being answered, each because of the one before
	waiting []*table        // questions whose answers wait for one on the stack
	round   int             // counts how often a question that needs itself was asked
	added   int             // answers found
}

// ask returns the facts of a relation that rules give for the given arguments of a procedure. They are incomplete while the
// question is on the stack. A hash of 64 bits stands for the question: among a million questions of a position, two have
// the same with a probability of 3 in 100 million.
func (p *proof) ask(pr *procedure, given []id) *table {
	question := mix(pr.number)
	for _, a := range given {
		question = mix(question ^ uint64(a))
	}
	tables := p.layers[pr.class].tables
	t := tables[question]
	if t == nil {
		t = &table{ground: pr.ground}
		tables[question] = t
	}
	switch {
	case t.complete || p.game.err != nil:
	case t.depth > 0:
		t.repeated = true
		p.waitFor(t.depth)
	case t.lowest > 0 && t.round == p.round: // asked before in this round
		p.waitFor(t.lowest)
	default:
		p.answer(t, pr, given)
	}
	return t
}

// mix is a step of SplitMix64, a bijection that changes all bits (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// waitFor notes that the question on top of the stack waits for the one at a depth.
func (p *proof) waitFor(depth int) {
	top := p.stack[len(p.stack)-1]
	top.lowest = min(top.lowest, depth)
}

// answer answers a question by the rules. If the answers need those of a question further down in the stack, they stay
// incomplete; that question then asks again, until no answer is new.
func (p *proof) answer(t *table, pr *procedure, given []id) {
	if len(p.stack) == maxNesting {
		p.game.fail(errNesting)
		return
	}
	p.stack = append(p.stack, t)
	t.depth = len(p.stack)
	first := len(p.waiting) // those behind it wait for this question
	for again := true; again; {
		before := p.added
		t.lowest, t.round, t.repeated = t.depth, p.round, false
		p.apply(t, pr, given)
		again = t.repeated && t.lowest == t.depth && p.added > before && !t.proven() && p.game.err == nil
		if again {
			p.round++
		}
	}
	waiting, depth := p.waiting[first:], t.depth
	p.stack = p.stack[:depth-1]
	t.depth = 0
	if t.lowest < depth && !t.proven() && p.game.err == nil {
		for _, w := range waiting {
			w.lowest = min(w.lowest, t.lowest)
		}
		p.waiting = append(p.waiting, t)
		p.waitFor(t.lowest)
		return
	}
	t.complete = p.game.err == nil
	t.lowest = 0
	for _, w := range waiting {
		// Answers that were not looked for in the last round, or after a proof, may be incomplete: they are looked for again.
		w.complete = t.complete && !t.proven() && w.round == p.round
		w.lowest = 0
	}
	p.waiting = p.waiting[:first]
}

// proven reports whether no more answers are possible.
func (t *table) proven() bool { return t.ground && len(t.answers) > 0 }

// apply adds the answers that the rules give with the answers to other questions found so far.
func (p *proof) apply(t *table, pr *procedure, given []id) {
	g := p.game
	for i := range pr.plans {
		pl := &pr.plans[i]
		env := make(environment, pl.variables)
		fits := true
		for k, place := range pr.places {
			fits = fits && g.terms.match(&pl.head.args[place], given[k], env)
		}
		if fits {
			p.solve(t, pl, env, 0)
		}
		if g.err != nil || t.proven() {
			return
		}
	}
}

// solve solves the steps of a plan from step i on by backtracking, adds the head for each solution to the table, and
// reports whether it found one. Once all variables of the head have values, the first solution is enough.
func (p *proof) solve(t *table, pl *plan, env environment, i int) bool {
	g := p.game
	g.step()
	if g.err != nil {
		return true
	}
	if i == pl.decided && t.has(g.terms.value(&pl.head, env, false)) {
		return true
	}
	if i == len(pl.steps) {
		if t.add(g.terms.value(&pl.head, env, true)) {
			p.added++
		}
		return true
	}
	s := &pl.steps[i]
	switch s.kind {
	case differ, equal:
		same := g.terms.value(&s.atom.args[0], env, true) == g.terms.value(&s.atom.args[1], env, true)
		return same == (s.kind == equal) && p.solve(t, pl, env, i+1)
	case fails:
		return !p.holds(&s.atom, env) && p.solve(t, pl, env, i+1)
	}
	if s.tested {
		return p.holds(&s.atom, env) && p.solve(t, pl, env, i+1)
	}
	return p.each(s, env, func(n id) bool {
		found := g.terms.match(&s.atom, n, env) && p.solve(t, pl, env, i+1)
		for _, v := range s.binds {
			env[v] = 0
		}
		return found && i >= pl.decided
	})
}

// each calls try with each fact that may match the atom of a step, until it returns true or an error ends the
// evaluation. It reports whether one did.
func (p *proof) each(s *step, env environment, try func(n id) bool) bool {
	g := p.game
	for _, n := range p.factsOf(s.atom.functor).candidates(g.terms, s, env) {
		if try(n) || g.err != nil {
			return true
		}
	}
	if s.asked == nil {
		s.asked = g.procedure(s.atom.functor, s.mask)
	}
	if len(s.asked.plans) == 0 {
		return false
	}
	answers := p.askFor(s.asked, &s.atom, env)
	for k := 0; k < len(answers.answers); k++ { // answers may be added meanwhile
		if try(answers.answers[k]) || g.err != nil {
			return true
		}
	}
	return false
}

// factsOf returns the facts without conditions among which those of a functor are.
func (p *proof) factsOf(functor int32) *facts {
	switch functor {
	case p.game.predicate.true:
		return p.layers[ofState].facts
	case p.game.predicate.does:
		return p.layers[ofMoves].facts
	}
	return p.layers[static].facts
}

// askFor asks for the facts of an atom whose arguments at the places of the procedure have values.
func (p *proof) askFor(pr *procedure, atom *pattern, env environment) *table {
	var buffer [8]id
	given := buffer[:0]
	for _, place := range pr.places {
		given = append(given, p.game.terms.value(&atom.args[place], env, true))
	}
	return p.ask(pr, given)
}

// holds reports whether an atom all of whose variables have values holds.
func (p *proof) holds(atom *pattern, env environment) bool {
	n := p.game.terms.value(atom, env, false)
	if n != 0 && p.factsOf(atom.functor).known[n] {
		return true
	}
	pr := p.game.procedure(atom.functor, 1<<len(atom.args)-1)
	return len(pr.plans) > 0 && len(p.askFor(pr, atom, env).answers) > 0
}

// all returns the facts that match a question without repeated variables.
func (p *proof) all(q *step) (list []id) {
	known := map[id]bool{}
	env := make(environment, len(q.atom.args))
	p.each(q, env, func(n id) bool {
		if !known[n] && p.game.terms.match(&q.atom, n, env) {
			known[n] = true
			list = append(list, n)
		}
		clear(env)
		return false
	})
	return list
}
