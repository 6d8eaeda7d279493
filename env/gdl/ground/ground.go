package ground

import (
	"cmp"
	"context"
	"slices"

	"ludus/env/gdl/kif"
)

// Limits bound the work of [Ground].
type Limits struct {
	Instances int // instances of rules
	Atoms     int // possible atoms
	Depth     int // depth of terms
	Work      int // atoms tried when joining conditions
	Memory    int // bytes, as a rough estimate
}

// DefaultLimits are limits within which a chess-like game fits.
var DefaultLimits = Limits{Instances: 8 << 20, Atoms: 2 << 20, Depth: 12, Work: 400 << 20, Memory: 3 << 29}

// Literal is an atom, or its negation: then the number is ^atom, which is negative.
type Literal int32

// Atom returns the atom of a literal.
func (l Literal) Atom() Term {
	if l < 0 {
		return Term(^l)
	}
	return Term(l)
}

// Program is a game without variables. Atoms are numbered as terms of Terms.
type Program struct {
	Terms    *Terms
	Roles    []Term
	Init     []Term               // fluents of the first position
	Fluents  []Term               // everything that may be true, in the order found
	True     []Term               // for each fluent f: the atom (true f)
	Next     map[Term]Term        // for each fluent f that may be true later: the atom (next f)
	Moves    [][]Term             // by role: everything that may be legal
	Does     [][]Term             // for each role r and move m: the atom (does r m)
	Legal    [][]Term             // for each role r and move m: the atom (legal r m)
	Rules    map[Term][][]Literal // for each atom: the conjunctions that make it true; none for true and does, which are inputs
	Goal     []map[int]Term       // for each role r and value v: the atom (goal r v)
	Terminal Term                 // 0 if the game never ends
	Static   map[string][][]Term  // arguments of static relations, by name and number of arguments such as "succ/2"
	Never    []kif.Term           // conditions that can never hold, each text once; not (p) counts as p
}

// Starts tells which fluents are true in the first position.
func (p *Program) Starts() []bool {
	initial := make(map[Term]bool, len(p.Init))
	for _, f := range p.Init {
		initial[f] = true
	}
	starts := make([]bool, len(p.Fluents))
	for i, f := range p.Fluents {
		starts[i] = initial[f]
	}
	return starts
}

// grounder is the state of [Ground].
type grounder struct {
	terms     *Terms
	relations map[symbol]*relation
	does      *relation
	rules     []*rule
	facts     []kif.Term // facts of relations that no rule needs
	roles     map[Term]int
	program   *Program

	// The semi-naive evaluation.
	holds   []bool // for each atom: it is possible
	queue   []Term // possible atoms, in the order found
	seen    int    // how many atoms of the queue are in their relations
	current Term   // the new atom with which the current joins start
	indexOf map[indexKey]*index
	values  [maxVariables]Term // values of the current rule's variables

	emitting *rule  // the rule whose instance is the newest
	moves    []Term // scratch of body: for each role its does atom; 0 for none

	limits    Limits
	stopped   func() error // returns an error once the context has ended
	instances int
	work      int // atoms tried when joining conditions
	checks    int // calls of count
	atoms     int
	memory    int // bytes of instances and indexes
	err       error
}

// Ground removes the variables from the rules of a sheet. The error is of type [kif.Error] where it belongs to a line of
// the sheet.
func Ground(ctx context.Context, rules []kif.Rule, limits Limits) (*Program, error) {
	if err := checkKeywords(rules); err != nil {
		return nil, err
	}
	if err := checkSizes(rules); err != nil {
		return nil, err
	}
	rules = kif.SplitGoals(rules)
	p := preparer{stopped: func() error { return stopped(ctx) }}
	p.expander = kif.Expander{Merge: p.merge, MaxCopied: maxCopied}
	needed, others := relevant(rules)
	for _, r := range needed {
		if err := p.add(r); err != nil {
			return nil, err
		}
	}
	g := &grounder{
		facts: others, terms: NewTerms(), relations: map[symbol]*relation{}, limits: limits, stopped: p.stopped,
		indexOf: map[indexKey]*index{}, roles: map[Term]int{},
		program: &Program{Rules: map[Term][][]Literal{}, Next: map[Term]Term{}, Static: map[string][][]Term{}},
	}
	g.program.Terms = g.terms
	for _, c := range p.clauses {
		r, err := g.compile(c)
		if err != nil {
			return nil, err
		}
		g.rules = append(g.rules, r)
	}
	layers, err := g.layers()
	if err != nil {
		return nil, err
	}
	var dynamic []*rule
	for _, l := range layers {
		if l[0].relation.class > static {
			dynamic = append(dynamic, l...)
			continue
		}
		if err := g.run(l); err != nil {
			return nil, err
		}
	}
	if err := g.readRoles(); err != nil {
		return nil, err
	}
	g.start()
	if err := g.run(dynamic); err != nil {
		return nil, err
	}
	return g.finish(), nil
}

// readRoles lists the roles.
func (g *grounder) readRoles() error {
	r := g.relations[symbol{"role", 1}]
	if r == nil || len(r.atoms) == 0 {
		return kif.Errorf(kif.Pos{Line: 1, Column: 1}, "the sheet has no (role ...)")
	}
	for _, a := range r.atoms {
		role := g.terms.args[a][0]
		g.roles[role] = len(g.program.Roles)
		g.program.Roles = append(g.program.Roles, role)
		g.program.Goal = append(g.program.Goal, map[int]Term{})
	}
	n := len(r.atoms)
	g.program.Moves, g.program.Does, g.program.Legal = make([][]Term, n), make([][]Term, n), make([][]Term, n)
	g.moves = make([]Term, n)
	return nil
}

// start makes the initial fluents possible, and lists them in the program.
func (g *grounder) start() {
	if r := g.relations[symbol{"init", 1}]; r != nil {
		for _, a := range r.atoms {
			f := g.terms.args[a][0]
			g.program.Init = append(g.program.Init, f)
			g.makePossible(f)
		}
	}
}

// makePossible marks a fluent as possible: it may be true in some position.
func (g *grounder) makePossible(fluent Term) {
	if a := g.terms.Add(g.terms.Functor("true", 1), []Term{fluent}); g.push(a) {
		g.program.True = append(g.program.True, a)
		g.program.Fluents = append(g.program.Fluents, fluent)
	}
}

// push marks an atom as possible and queues it. It reports false if the atom was known already.
func (g *grounder) push(a Term) bool {
	for int(a) >= len(g.holds) {
		g.holds = append(g.holds, make([]bool, len(g.terms.functor)-len(g.holds))...)
	}
	if g.holds[a] {
		return false
	}
	g.holds[a] = true
	g.queue = append(g.queue, a)
	g.atoms++
	if g.atoms > g.limits.Atoms {
		g.fail("more than %d facts may hold", g.limits.Atoms)
	}
	switch {
	case g.terms.size[a] > maxSize:
		g.failAt(g.emitting.pos, "this rule makes a term of %s with more than %d names", g.terms.Name(a), maxSize)
	case int(g.terms.depth[a]) > g.limits.Depth:
		g.failAt(g.emitting.pos, "this rule nests terms without end, such as %.60s", g.terms.Text(a))
	}
	return true
}

// Estimates of memory, in bytes.
const (
	bytesPerTerm     = 64
	bytesPerEntry    = 64 // of an index
	bytesPerInstance = 32 // plus bytesPerLiteral for each literal
	bytesPerLiteral  = 4
)

// spend adds to the estimated memory of instances and indexes, and fails if that and all terms exceed the limit.
func (g *grounder) spend(bytes int) {
	g.memory += bytes
	if g.memory+bytesPerTerm*len(g.terms.functor) > g.limits.Memory {
		g.fail("grounding takes more than %d MB of memory", g.limits.Memory>>20)
	}
}

// may reports whether an atom is possible.
func (g *grounder) may(a Term) bool { return int(a) < len(g.holds) && g.holds[a] }

// fail records the first error, at the line of the costliest rule.
func (g *grounder) fail(format string, args ...any) {
	pos := kif.Pos{Line: 1, Column: 1}
	most := -1
	for _, r := range g.rules {
		if n := r.work + r.instances; n > most {
			pos, most = r.pos, n
		}
	}
	g.failAt(pos, format+"; this rule costs most", args...)
}

// failAt records the first error.
func (g *grounder) failAt(pos kif.Pos, format string, args ...any) {
	if g.err == nil {
		g.err = kif.Errorf(pos, format, args...)
	}
}

// finish removes negations of atoms that are never true, and lists the static relations.
func (g *grounder) finish() *Program {
	p := g.program
	for head, bodies := range p.Rules {
		for i, body := range bodies {
			bodies[i] = slices.DeleteFunc(body, func(l Literal) bool { return l < 0 && !g.may(Term(^l)) }) // always true
		}
		p.Rules[head] = bodies
	}
	for s, r := range g.relations {
		if r.class > static || len(r.atoms) == 0 {
			continue
		}
		key := s.String()
		for _, a := range r.atoms {
			p.Static[key] = append(p.Static[key], g.terms.args[a])
		}
	}
	for _, f := range g.facts {
		key := symbolOf(f).String()
		p.Static[key] = append(p.Static[key], g.terms.args[g.pattern(f, nil).ground])
	}
	p.Never = g.never()
	return p
}

// maxNever bounds the work of never, in atoms matched.
const maxNever = 1 << 22

// never lists the conditions of rules that no possible atom satisfies. Some may be missing if there are too many atoms.
func (g *grounder) never() (list []kif.Term) {
	seen := map[string]bool{}
	work := 0
	for _, r := range g.rules {
		for i := range r.literals {
			l := &r.literals[i]
			if l.relation == nil || l.relation.isAuxiliary() || work > maxNever {
				continue
			}
			meets := func(a Term) bool {
				work++
				bound := uint64(0)
				return g.match(&l.pattern, a, &bound)
			}
			if text := l.atom.String(); !slices.ContainsFunc(l.relation.atoms, meets) && !seen[text] {
				seen[text] = true
				list = append(list, l.atom)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b kif.Term) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return list
}
