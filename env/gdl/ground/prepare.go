package ground

import (
	"fmt"
	"slices"
	"strings"

	"ludus/env/gdl/kif"
)

// clause is a rule whose body is a conjunction of literals.
type clause struct {
	head kif.Term
	body []kif.Term
	pos  kif.Pos
}

// keywords are the relations of GDL with their arities.
var keywords = map[string]int{
	"role": 1, "init": 1, "true": 1, "next": 1, "legal": 2, "does": 2, "goal": 2, "terminal": 0, "base": 1, "input": 2,
}

// checkKeywords returns an error for a keyword with a wrong number of arguments or in a wrong place, and for keywords
// that are not supported.
func checkKeywords(rules []kif.Rule) error {
	check := func(t kif.Term, head bool) error {
		arity, ok := keywords[t.Name]
		switch {
		case t.Name == "sees":
			return kif.Errorf(t.Pos, "sees: games with hidden information are not supported")
		case ok && arity != len(t.Args):
			return kif.Errorf(t.Pos, "%s has %d arguments; it takes %d", t.Name, len(t.Args), arity)
		case head && (t.Name == "true" || t.Name == "does"):
			return kif.Errorf(t.Pos, "%s cannot be the head of a rule", t.Name)
		}
		return nil
	}
	for _, r := range rules {
		if err := check(r.Head, true); err != nil { // true: as a head
			return err
		}
		if r.Head.Name == "role" && len(r.Head.Args) == 1 && r.Head.Args[0].Name == "random" {
			return kif.Errorf(r.Pos, "the role random: games with chance are not supported")
		}
		for _, a := range kif.Atoms(r.Body) {
			if err := check(a, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// Limits of rules, far above those of real sheets.
const (
	maxLiterals       = 1024    // literals in the body of a rule
	maxSheetVariables = 128     // variables of a rule as written; see maxVariables
	maxArguments      = 64      // arguments of a term
	maxCopied         = 1 << 20 // literals that or copies in all rules
)

// checkSizes returns an error for a rule that is too large: the work of all later steps grows faster than its size.
func checkSizes(rules []kif.Rule) error {
	for _, r := range rules {
		names := map[string]bool{}
		var widest kif.Term
		var count func(t kif.Term)
		count = func(t kif.Term) {
			if t.IsVariable() {
				names[t.Name] = true
			}
			if len(t.Args) > len(widest.Args) {
				widest = t
			}
			for _, a := range t.Args {
				count(a)
			}
		}
		count(r.Head)
		atoms := kif.Atoms(r.Body)
		for _, a := range atoms {
			count(a)
		}
		switch {
		case len(names) > maxSheetVariables:
			return kif.Errorf(r.Pos, "a rule with %d variables; at most %d are supported", len(names), maxSheetVariables)
		case len(atoms) > maxLiterals:
			return kif.Errorf(r.Pos, "a rule with %d conditions; at most %d are supported", len(atoms), maxLiterals)
		case len(widest.Args) > maxArguments:
			return kif.Errorf(widest.Pos, "%.40s with %d arguments; at most %d are supported", widest.Name, len(widest.Args), maxArguments)
		}
	}
	return nil
}

// preparer turns rules into clauses that are cheap to join.
type preparer struct {
	stopped  func() error // returns an error once the context has ended
	expander kif.Expander
	clauses  []clause
	fresh    int // auxiliary predicates made so far
}

// auxiliary returns an atom of a new predicate with the given variables as arguments. Its name contains a blank, so no
// sheet has it.
func (p *preparer) auxiliary(vars []string, pos kif.Pos) kif.Term {
	p.fresh++
	head := kif.Term{Name: fmt.Sprint("aux ", p.fresh), Pos: pos}
	for _, v := range vars {
		head.Args = append(head.Args, kif.Term{Name: v, Pos: pos})
	}
	return head
}

// isAuxiliary reports whether a relation was made by auxiliary or [kif.SplitGoals] and is not in the sheet: its name
// contains a blank.
func (r *relation) isAuxiliary() bool { return strings.Contains(r.symbol.name, " ") }

// add appends the clauses of a rule.
func (p *preparer) add(r kif.Rule) error {
	bodies, err := p.expander.Expand(r.Body, r.Pos)
	if err != nil {
		return err
	}
	for _, body := range bodies {
		c := clause{r.Head, tidy(body), r.Pos}
		if err := checkSafe(c); err != nil {
			return err
		}
		p.split(c)
	}
	if err := p.stopped(); err != nil {
		return kif.Errorf(r.Pos, "%w", err)
	}
	return nil
}

// tidy returns a body without repeated literals.
func tidy(body []kif.Term) []kif.Term {
	seen := map[string]bool{}
	var list []kif.Term
	for _, l := range body {
		if s := l.String(); !seen[s] {
			seen[s] = true
			list = append(list, l)
		}
	}
	return list
}

// merge replaces the alternatives of a literal by an atom of a new predicate, which holds if one of them does. It
// returns them unchanged if they do not all bind the same variables.
func (p *preparer) merge(bodies [][]kif.Term, pos kif.Pos) [][]kif.Term {
	vars := variables(positives(bodies[0]))
	for _, body := range bodies {
		bound := variables(positives(body))
		if len(variables(body)) > len(bound) || len(bound) != len(vars) || len(common(bound, vars)) < len(vars) {
			return bodies
		}
	}
	head := p.auxiliary(vars, pos)
	for _, body := range bodies {
		p.split(clause{head, body, pos})
	}
	return [][]kif.Term{{head}}
}

// isTest reports whether a literal, a not or a distinct, only tests variables and binds none.
func isTest(l kif.Term) bool { return l.Name == "not" || l.Name == "distinct" }

func positives(body []kif.Term) []kif.Term { return slices.DeleteFunc(slices.Clone(body), isTest) }

// variables returns the variables of terms, in the order of their first occurrence.
func variables(terms []kif.Term) []string {
	var list []string
	var visit func(t kif.Term)
	visit = func(t kif.Term) {
		if t.IsVariable() && !slices.Contains(list, t.Name) {
			list = append(list, t.Name)
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	for _, t := range terms {
		visit(t)
	}
	return list
}

// checkSafe returns an error for an unsafe clause: one with a variable that no positive literal binds.
func checkSafe(c clause) error {
	bound := variables(positives(c.body))
	for _, v := range variables(append([]kif.Term{c.head}, c.body...)) {
		if !slices.Contains(bound, v) {
			return kif.Errorf(c.pos, "the variable %s must stand in a condition of this rule that is neither a not nor a distinct", v)
		}
	}
	return nil
}

// split appends a clause after bucket elimination. A body variable that is not in the head is eliminated if the
// literals that contain it have fewer variables than the body: a new auxiliary predicate replaces these literals. It
// stops early when the time is up.
func (p *preparer) split(c clause) {
	for p.stopped() == nil {
		inside, outside := c.cheapest()
		if inside == nil {
			break
		}
		p.split(p.extract(&c, inside, outside))
	}
	p.chain(c)
}

// extract replaces the literals inside of a clause's body by an atom of a new predicate, and returns the clause that
// defines it. The literals outside stay.
func (p *preparer) extract(c *clause, inside, outside []kif.Term) clause {
	head := p.auxiliary(common(variables(positives(inside)), variables(append([]kif.Term{c.head}, outside...))), c.pos)
	c.body = append([]kif.Term{head}, outside...)
	return clause{head, inside, c.pos}
}

// common returns the elements of a that are in b.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return !slices.Contains(b, v) })
}

// maxJoined is the largest number of literals of a clause, because join keeps a set of them in one word.
const maxJoined = 64

// chain appends a clause with at most maxJoined literals. While a body is longer, an auxiliary predicate replaces its
// first literals. Tests move to the end, where all their variables are bound.
func (p *preparer) chain(c clause) {
	if len(c.body) > maxJoined {
		tests := slices.DeleteFunc(slices.Clone(c.body), func(l kif.Term) bool { return !isTest(l) })
		c.body = append(positives(c.body), tests...)
	}
	for len(c.body) > maxJoined {
		p.clauses = append(p.clauses, p.extract(&c, c.body[:maxJoined], c.body[maxJoined:]))
	}
	p.clauses = append(p.clauses, c)
}

// cheapest finds the best variable to eliminate, see split: the one whose literals have the fewest variables. It
// returns these literals (inside) and the others; nil if no elimination helps.
func (c *clause) cheapest() (inside, outside []kif.Term) {
	inHead, inBody := variables([]kif.Term{c.head}), variables(c.body)
	width := len(inBody)
	for _, v := range inBody {
		if slices.Contains(inHead, v) {
			continue
		}
		in, out := c.with(v)
		if n := len(variables(in)); n < width && len(in) < len(c.body) {
			inside, outside, width = in, out, n
		}
	}
	return inside, outside
}

// with splits the body into the literals that contain variable v and the others. A literal without v is in both lists
// if it must bind a variable of a test with v.
func (c *clause) with(v string) (inside, outside []kif.Term) {
	for _, l := range c.body {
		if slices.Contains(variables([]kif.Term{l}), v) {
			inside = append(inside, l)
		} else {
			outside = append(outside, l)
		}
	}
	bound, all := variables(positives(inside)), variables(inside)
	for _, l := range outside {
		if !isTest(l) && slices.ContainsFunc(variables([]kif.Term{l}), func(w string) bool {
			return slices.Contains(all, w) && !slices.Contains(bound, w)
		}) {
			inside = append(inside, l)
			bound = variables(positives(inside))
		}
	}
	return inside, outside
}
