package ground

import (
	"context"
	"fmt"
	"strconv"
)

// run computes the fixpoint of some rules by semi-naive evaluation: each new atom starts joins of the rules that have
// it as a condition. Relations that these rules do not derive must be complete.
func (g *grounder) run(rules []*rule) error {
	for _, r := range rules {
		for i := range r.positive {
			l := &r.literals[i]
			l.relation.uses = append(l.relation.uses, use{r, i})
		}
	}
	// Atoms that are still to come start the joins of most rules. A rule whose relations are all complete starts here.
	coming := map[*relation]bool{}
	for _, r := range rules {
		coming[r.relation] = true
	}
	for _, a := range g.queue {
		coming[g.relationOf(a)] = true
	}
	if len(rules) > 0 && rules[0].relation.class > static {
		coming[g.relations[symbol{"true", 1}]], coming[g.does] = true, true
	}
	g.current = 0
	for _, r := range rules {
		started := false
		for i := range r.positive {
			started = started || coming[r.literals[i].relation]
		}
		if !started {
			g.join(r, -1, 0, 0) // from no literal, none done, nothing bound
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

// count adds to the number of atoms tried and checks the limits, and now and then the time.
func (g *grounder) count(atoms int) {
	g.work += atoms
	if g.work > g.limits.Work {
		g.fail("grounding tries more than %d facts", g.limits.Work)
	}
	g.checks++
	if g.checks&0xfff == 0 {
		g.checkTime()
	}
}

// checkTime fails if the context has ended.
func (g *grounder) checkTime() {
	if err := g.stopped(); err != nil {
		g.fail("%w", err)
	}
}

// stopped returns an error if the context has ended.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("grounding was not finished: %w", context.Cause(ctx))
}

func (g *grounder) relationOf(a Term) *relation {
	return g.relations[g.terms.symbols[g.terms.functor[a]]]
}

// join emits all instances of a rule that satisfy its remaining literals. done is the set of satisfied literals, bound
// the set of bound variables. Literal from started the join with the current atom. Earlier literals must not match this
// atom, or an instance would be found twice.
func (g *grounder) join(r *rule, from int, done, bound uint64) {
	if g.err != nil {
		return
	}
	// Check the tests whose variables are bound, then branch on the positive literal with the fewest candidates.
	for i := r.positive; i < len(r.literals); i++ {
		l := &r.literals[i]
		if done>>i&1 != 0 || l.vars&^bound != 0 {
			continue
		}
		done |= 1 << i
		if l.relation == nil {
			if (g.value(&l.args[0]) != g.value(&l.args[1])) == l.negated {
				return
			}
		} else if l.relation.class == static && g.may(g.value(&l.pattern)) {
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

// emit records an instance of a rule all of whose variables are bound. For a static rule it only marks the head as
// possible.
func (g *grounder) emit(r *rule) {
	g.emitting = r
	head := g.value(&r.head)
	if r.relation.class == static {
		g.push(head)
		return
	}
	body, ok := g.body(r)
	if !ok {
		return
	}
	r.instances++
	g.instances++
	if g.instances > g.limits.Instances {
		g.fail("the rules have more than %d instances", g.limits.Instances)
	}
	if g.instances&0xfff == 0 { // now and then
		g.checkTime()
	}
	g.spend(bytesPerInstance + bytesPerLiteral*len(body))
	g.program.Rules[head] = append(g.program.Rules[head], body)
	if g.push(head) {
		g.derive(r, head)
	}
}

// body returns the dynamic literals of an instance. It reports false if they can never hold together: a does literal is
// not about a role, or one role would make two moves.
func (g *grounder) body(r *rule) (body []Literal, ok bool) {
	clear(g.moves)
	for i := range r.literals {
		l := &r.literals[i]
		if l.relation == nil || l.relation.class == static {
			continue
		}
		a := g.value(&l.pattern)
		if l.negated {
			body = append(body, Literal(^a))
			continue
		}
		body = append(body, Literal(a))
		if l.relation == g.does {
			role, ok := g.roles[g.terms.args[a][0]]
			if !ok || g.moves[role] != 0 && g.moves[role] != a {
				return nil, false
			}
			g.moves[role] = a
		}
	}
	return body, true
}

// derive records a new atom of terminal, next, legal or goal. The fluent of next may then be true, and the move of
// legal may be made.
func (g *grounder) derive(r *rule, head Term) {
	p, args := g.program, g.terms.args[head]
	switch r.relation.symbol {
	case symbol{"terminal", 0}:
		p.Terminal = head
	case symbol{"next", 1}:
		p.Next[args[0]] = head
		g.makePossible(args[0])
	case symbol{"legal", 2}:
		role, ok := g.roles[args[0]]
		if !ok {
			return
		}
		p.Legal[role] = append(p.Legal[role], head)
		p.Moves[role] = append(p.Moves[role], args[1])
		does := g.terms.Add(g.terms.Functor("does", 2), []Term{args[0], args[1]})
		p.Does[role] = append(p.Does[role], does)
		g.push(does)
	case symbol{"goal", 2}:
		role, ok := g.roles[args[0]]
		if !ok {
			return
		}
		v, err := strconv.Atoi(g.terms.Name(args[1]))
		if err != nil || v < 0 || v > 100 || len(g.terms.args[args[1]]) > 0 {
			g.failAt(r.pos, "the goal %s is not a number from 0 to 100", g.terms.Text(args[1]))
			return
		}
		p.Goal[role][v] = head
	}
}
