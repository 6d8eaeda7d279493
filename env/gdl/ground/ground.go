package ground

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"ludus/env/gdl/kif"
)

// Limits bound the work of [Ground].
type Limits struct {
	Instances int // instances of rules
	Atoms     int // atoms that may hold
	Depth     int // depth of terms
	Work      int // atoms tried in joins
	Memory    int // bytes, as a rough estimate
}

// DefaultLimits are those of [Ground]; a chess-like game fits.
var DefaultLimits = Limits{Instances: 8 << 20, Atoms: 2 << 20, Depth: 12, Work: 400 << 20, Memory: 3 << 29}

// Literal is an atom, or its negation if the number is negative: ^atom.
type Literal int32

// Program is a game without variables. An atom is the number of a term.
type Program struct {
	Terms    *Terms
	Roles    []Term
	Init     []Term               // fluents of the first position
	Fluents  []Term               // everything that may be true, in the order found
	Moves    [][]Term             // by role: everything that may be legal
	Rules    map[Term][][]Literal // by atom: its conjunctions; true and does are left out, they are inputs
	True     map[Term]Term        // by fluent: its true atom
	Does     []map[Term]Term      // by role, then move: the does atom
	Next     map[Term]Term        // by fluent: its next atom
	Legal    []map[Term]Term      // by role, then move
	Goal     []map[int]Term       // by role, then value
	Terminal Term                 // -1 if the game never ends
	Static   map[string][][]Term  // arguments of static relations, by name and number of arguments such as "succ/2"
	Never    []kif.Term           // conditions of rules, without not, that can never hold, each text once
}

// Starts returns which of the fluents are true in the first position.
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

// grounder is the state of Ground.
type grounder struct {
	terms     *Terms
	relations map[symbol]*relation
	rules     []*rule
	limits    Limits
	ctx       context.Context
	holds     []bool // by atom: may hold
	indexOf   map[indexKey]*index
	values    [maxVariables]Term
	queue     []Term
	seen      int // atoms of the queue that are in the relations
	current   Term
	program   *Program
	instances int
	work      int
	checks    int // calls of join, to look at the time now and then
	atoms     int
	memory    int // bytes of instances and indexes
	does      *relation
	emitting  *rule // whose instance is the newest
	err       error
	roles     map[Term]int
	moves     []Term     // scratch of emit: by role, the does atom of the instance + 1; 0 for none
	facts     []kif.Term // that no rule asks for
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
	p := preparer{ctx: ctx}
	needed := relevant(rules)
	for _, r := range needed {
		if err := p.add(r); err != nil {
			return nil, err
		}
	}
	g := &grounder{
		terms: newTerms(), relations: map[symbol]*relation{}, limits: limits, ctx: ctx, indexOf: map[indexKey]*index{},
		roles: map[Term]int{},
		program: &Program{Rules: map[Term][][]Literal{}, True: map[Term]Term{}, Next: map[Term]Term{}, Terminal: -1,
			Static: map[string][][]Term{}},
	}
	g.program.Terms = g.terms
	g.facts = unused(rules, needed)
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
		if l[0].relation.dynamic {
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

// CheckUnused returns the first mistake in rules that neither play nor goals ask for. Ground ignores such rules. The error is
// of type [kif.Error].
func CheckUnused(ctx context.Context, rules []kif.Rule) error {
	asked := map[kif.Pos]bool{}
	for _, r := range relevant(rules) {
		asked[r.Pos] = true
	}
	p := preparer{ctx: ctx}
	for _, r := range rules {
		if len(r.Body) == 0 || asked[r.Pos] {
			continue
		}
		if err := p.add(r); err != nil {
			return err
		}
	}
	return nil
}

// relevant drops rules for what neither play nor goals ask for, such as base and input.
func relevant(rules []kif.Rule) []kif.Rule {
	byHead := map[string][]kif.Rule{}
	for _, r := range rules {
		byHead[signature(r.Head)] = append(byHead[signature(r.Head)], r)
	}
	needed := map[string]bool{}
	var visit func(s string)
	var ask func(t kif.Term)
	ask = func(t kif.Term) {
		if t.Name == "not" || t.Name == "or" || t.Name == "and" {
			for _, a := range t.Args {
				ask(a)
			}
			return
		}
		visit(signature(t))
	}
	visit = func(s string) {
		if needed[s] {
			return
		}
		needed[s] = true
		for _, r := range byHead[s] {
			for _, l := range r.Body {
				ask(l)
			}
		}
	}
	for _, s := range []string{"role/1", "init/1", "next/1", "legal/2", "goal/2", "terminal/0"} {
		visit(s)
	}
	var list []kif.Rule
	for _, r := range rules {
		if needed[signature(r.Head)] {
			list = append(list, r)
		}
	}
	return list
}

// unused returns the facts without the needed rules, which play and goals ask for; they may tell the order of constants.
func unused(rules, needed []kif.Rule) []kif.Term {
	used := map[string]bool{}
	for _, r := range needed {
		used[signature(r.Head)] = true
	}
	var list []kif.Term
	for _, r := range rules {
		if len(r.Body) == 0 && !used[signature(r.Head)] && len(variables([]kif.Term{r.Head})) == 0 {
			list = append(list, r.Head)
		}
	}
	return list
}

// layers orders the rules by strongly connected components of their heads, marks dynamic relations, and refuses
// negations within a component.
func (g *grounder) layers() ([][]*rule, error) {
	byHead := map[*relation][]*rule{}
	var order []*relation
	for _, r := range g.rules {
		if byHead[r.relation] == nil {
			order = append(order, r.relation)
		}
		byHead[r.relation] = append(byHead[r.relation], r)
	}
	for _, name := range []string{"true", "does", "next", "legal", "goal", "terminal"} {
		r := g.relation(kif.Term{Name: name, Args: make([]kif.Term, keywords[name])})
		r.dynamic = true
	}
	g.does = g.relations[symbol{"does", 2}]
	var layers [][]*rule
	number, low, open := map[*relation]int{}, map[*relation]int{}, map[*relation]bool{}
	var stack []*relation
	var err error
	var visit func(h *relation)
	visit = func(h *relation) {
		number[h] = len(number) + 1
		low[h] = number[h]
		stack = append(stack, h)
		open[h] = true
		for _, r := range byHead[h] {
			for i := range r.literals {
				to := r.literals[i].relation
				if to == nil {
					continue
				}
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
		var layer []*rule
		component := map[*relation]bool{}
		for top := (*relation)(nil); top != h; {
			top = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			open[top] = false
			component[top] = true
			layer = append(layer, byHead[top]...)
		}
		dynamic := h.dynamic
		for r := range component {
			dynamic = dynamic || r.dynamic
		}
		for _, r := range layer {
			for i := range r.literals {
				l := &r.literals[i]
				if l.relation == nil {
					continue
				}
				if l.negated && component[l.relation] && err == nil {
					err = kif.Errorf(r.pos, "%s depends on its own negation", r.relation.symbol.name)
				}
				dynamic = dynamic || l.relation.dynamic
			}
		}
		for r := range component {
			r.dynamic = r.dynamic || dynamic
		}
		if len(layer) > 0 {
			layers = append(layers, layer)
		}
	}
	for _, h := range order {
		if number[h] == 0 {
			visit(h)
		}
	}
	for _, name := range []string{"role", "init"} {
		if r := g.relations[symbol{name, 1}]; err == nil && r != nil && r.dynamic {
			err = kif.Errorf(byHead[r][0].pos, "%s depends on the position", name)
		}
	}
	if err == nil {
		err = g.checkDoes(layers)
	}
	return layers, err
}

// checkDoes refuses legal moves, goals and ends that depend on moves.
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

// readRoles reads the roles.
func (g *grounder) readRoles() error {
	r := g.relations[symbol{"role", 1}]
	if r == nil || len(r.atoms) == 0 {
		return kif.Errorf(kif.Pos{Line: 1, Column: 1}, "the sheet has no (role ...)")
	}
	for _, a := range r.atoms {
		role := g.terms.args[a][0]
		g.roles[role] = len(g.program.Roles)
		g.program.Roles = append(g.program.Roles, role)
		g.program.Moves = append(g.program.Moves, nil)
		g.program.Does = append(g.program.Does, map[Term]Term{})
		g.program.Legal = append(g.program.Legal, map[Term]Term{})
		g.program.Goal = append(g.program.Goal, map[int]Term{})
	}
	g.moves = make([]Term, len(g.program.Roles))
	return nil
}

// start makes the initial fluents true.
func (g *grounder) start() {
	if r := g.relations[symbol{"init", 1}]; r != nil {
		for _, a := range r.atoms {
			f := g.terms.args[a][0]
			g.program.Init = append(g.program.Init, f)
			g.isTrue(f)
		}
	}
}

func (g *grounder) isTrue(fluent Term) {
	a := g.terms.add(g.terms.symbol("true", 1), []Term{fluent})
	if _, ok := g.program.True[fluent]; !ok {
		g.program.True[fluent] = a
		g.program.Fluents = append(g.program.Fluents, fluent)
		g.push(a)
	}
}

// push notes that an atom may hold.
func (g *grounder) push(a Term) bool {
	for int(a) >= len(g.holds) {
		g.holds = append(g.holds, make([]bool, len(g.terms.functor)-len(g.holds))...)
	}
	if g.holds[a] {
		return false
	}
	g.holds[a] = true
	g.queue = append(g.queue, a)
	if g.atoms++; g.atoms > g.limits.Atoms {
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

// Estimates of what things take, in bytes.
const (
	bytesPerTerm     = 64
	bytesPerEntry    = 64 // of an index
	bytesPerInstance = 32 // and those of its literals
	bytesPerLiteral  = 4
)

// spend counts the memory of instances and indexes, and checks what they and all terms take.
func (g *grounder) spend(bytes int) {
	if g.memory += bytes; g.memory+bytesPerTerm*len(g.terms.functor) > g.limits.Memory {
		g.fail("grounding takes more than %d MB of memory", g.limits.Memory>>20)
	}
}

func (g *grounder) may(a Term) bool { return int(a) < len(g.holds) && g.holds[a] }

// fail records the first error, at the rule that cost most.
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

// run derives all that may follow by the rules. Relations that it does not derive are complete.
func (g *grounder) run(rules []*rule) error {
	for _, r := range rules {
		for i := range r.positive {
			l := &r.literals[i]
			l.relation.uses = append(l.relation.uses, use{r, i})
		}
	}
	// Relations that are complete start no join; a rule is started by each of its atoms that are still to come. Rules
	// all of whose literals are complete start here.
	coming := map[*relation]bool{}
	for _, r := range rules {
		coming[r.relation] = true
	}
	for _, a := range g.queue {
		coming[g.relationOf(a)] = true
	}
	if len(rules) > 0 && rules[0].relation.dynamic {
		coming[g.relations[symbol{"true", 1}]], coming[g.does] = true, true
	}
	g.current = -1
	for _, r := range rules {
		started := false
		for i := range r.positive {
			started = started || coming[r.literals[i].relation]
		}
		if !started {
			g.join(r, -1, 0, 0)
		}
	}
	for len(g.queue) > g.seen && g.err == nil {
		a := g.queue[g.seen]
		g.seen++
		rel := g.relationOf(a)
		rel.atoms = append(rel.atoms, a)
		for _, i := range rel.indexes {
			i.add(g.terms, a)
		}
		g.spend(bytesPerEntry * len(rel.indexes))
		g.current = a
		g.count(len(rel.uses))
		for _, u := range rel.uses {
			bound := uint64(0)
			if g.match(&u.rule.literals[u.literal].pattern, a, &bound) {
				g.join(u.rule, u.literal, 1<<u.literal, bound)
			}
		}
	}
	g.queue, g.seen = g.queue[:0], 0
	for _, r := range rules {
		for i := range r.positive {
			r.literals[i].relation.uses = nil
		}
	}
	return g.err
}

// count counts atoms that are tried, and looks at the time now and then.
func (g *grounder) count(atoms int) {
	if g.work += atoms; g.work > g.limits.Work {
		g.fail("grounding tries more than %d facts", g.limits.Work)
	}
	if g.checks++; g.checks&0xffff == 0 {
		g.checkTime()
	}
}

// checkTime fails if the context has ended.
func (g *grounder) checkTime() {
	if err := stopped(g.ctx); err != nil {
		g.fail("%w", err)
	}
}

// stopped returns an error if a context has ended.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return ended{context.Cause(ctx)}
}

// ended says in plain words why a context has ended.
type ended struct{ cause error }

func (e ended) Error() string {
	if errors.Is(e.cause, context.DeadlineExceeded) {
		return "the time ran out"
	}
	return "it was stopped"
}

func (e ended) Unwrap() error { return e.cause }

func (g *grounder) relationOf(a Term) *relation {
	return g.relations[g.terms.symbols[g.terms.functor[a]]]
}

// join finds all ways to satisfy the rest of a rule. done is the set of literals that are satisfied, from the literal
// that started the join: literals before it do not match the same atom, which would find an instance twice.
func (g *grounder) join(r *rule, from int, done, bound uint64) {
	if g.err != nil {
		return
	}
	// Tests whose variables are bound.
	for i := r.positive; i < len(r.literals); i++ {
		l := &r.literals[i]
		if done>>i&1 != 0 || l.vars&^bound != 0 {
			continue
		}
		done |= 1 << i
		if l.relation == nil {
			if (g.value(&l.distinct[0]) != g.value(&l.distinct[1])) == l.negated {
				return
			}
		} else if !l.relation.dynamic && g.may(g.value(&l.pattern)) {
			return
		}
	}
	best, least := -1, []Term(nil)
	for i := range r.positive {
		if done>>i&1 != 0 {
			continue
		}
		list := g.candidates(&r.literals[i], bound)
		if best < 0 || len(list) < len(least) {
			best, least = i, list
		}
		if len(list) == 0 {
			return
		}
	}
	if best < 0 {
		g.emit(r)
		return
	}
	l := &r.literals[best]
	r.work += len(least)
	g.count(len(least))
	g.spend(0)
	for _, a := range least {
		if a == g.current && best < from {
			continue
		}
		b := bound
		if g.match(&l.pattern, a, &b) {
			g.join(r, from, done|1<<best, b)
		}
	}
}

// emit records an instance of a rule whose variables are all bound.
func (g *grounder) emit(r *rule) {
	g.emitting = r
	head := g.value(&r.head)
	if !r.relation.dynamic {
		g.push(head)
		return
	}
	var body []Literal
	clear(g.moves)
	for i := range r.literals {
		l := &r.literals[i]
		if l.relation == nil || !l.relation.dynamic {
			continue
		}
		a := g.value(&l.pattern)
		if l.relation == g.does && !l.negated {
			args := g.terms.args[a]
			role, ok := g.roles[args[0]]
			if !ok {
				return
			}
			if g.moves[role] != 0 && g.moves[role] != a+1 {
				return // two different moves of one role
			}
			g.moves[role] = a + 1
		}
		if l.negated {
			body = append(body, Literal(^a))
		} else {
			body = append(body, Literal(a))
		}
	}
	r.instances++
	if g.instances++; g.instances > g.limits.Instances {
		g.fail("the rules have more than %d instances", g.limits.Instances)
	}
	if g.instances&0xfff == 0 {
		g.checkTime()
	}
	g.spend(bytesPerInstance + bytesPerLiteral*len(body))
	p := g.program
	p.Rules[head] = append(p.Rules[head], body)
	if !g.push(head) {
		return
	}
	args := g.terms.args[head]
	switch r.relation.symbol {
	case symbol{"next", 1}:
		p.Next[args[0]] = head
		g.isTrue(args[0])
	case symbol{"legal", 2}:
		role, ok := g.roles[args[0]]
		if !ok {
			return
		}
		p.Legal[role][args[1]] = head
		p.Moves[role] = append(p.Moves[role], args[1])
		does := g.terms.add(g.terms.symbol("does", 2), []Term{args[0], args[1]})
		p.Does[role][args[1]] = does
		g.push(does)
	case symbol{"goal", 2}:
		role, ok := g.roles[args[0]]
		if !ok {
			return
		}
		v, err := strconv.Atoi(g.terms.Name(args[1]))
		if err != nil || v < 0 || v > 100 || len(g.terms.args[args[1]]) > 0 {
			if g.err == nil {
				g.err = kif.Errorf(r.pos, "the goal %s is not a number from 0 to 100", g.terms.Text(args[1]))
			}
			return
		}
		p.Goal[role][v] = head
	case symbol{"terminal", 0}:
		p.Terminal = head
	}
}

// finish drops negations of what never holds, and lists the static relations.
func (g *grounder) finish() *Program {
	p := g.program
	for head, bodies := range p.Rules {
		for i, body := range bodies {
			bodies[i] = slices.DeleteFunc(body, func(l Literal) bool { return l < 0 && !g.may(Term(^l)) })
		}
		p.Rules[head] = bodies
	}
	for s, r := range g.relations {
		if r.dynamic || len(r.atoms) == 0 {
			continue
		}
		key := s.name + "/" + strconv.Itoa(s.arity)
		for _, a := range r.atoms {
			p.Static[key] = append(p.Static[key], g.terms.args[a])
		}
	}
	for _, f := range g.facts {
		key := f.Name + "/" + strconv.Itoa(len(f.Args))
		p.Static[key] = append(p.Static[key], g.terms.args[g.pattern(f, nil).ground])
	}
	p.Never = g.never()
	return p
}

// maxNever bounds the atoms that never looks at.
const maxNever = 1 << 22

// never lists the conditions that no atom meets. If there are too many atoms, some may be missing.
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
