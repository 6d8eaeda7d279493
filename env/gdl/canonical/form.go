package canonical

import (
	"errors"

	"ludus/env/gdl/kif"
)

// Form is the canonical form of a sheet.
type Form struct {
	Text  string   // the sheet with numbers instead of names, rules and conditions sorted
	Names []string // the sheet's own name for each number
}

// ErrBudget means that a sheet is too large or too symmetric for the search.
var ErrBudget = errors.New("the sheet is too large or too symmetric to be compared with others")

// budget bounds the terms that New visits; it takes some tenths of a second.
const budget = 8 << 20

// New returns the canonical form of a sheet. The only error is [ErrBudget].
func New(rules []kif.Rule) (*Form, error) {
	s := &search{}
	ids := map[string]int{}
	for _, r := range rules {
		s.countNames(r.Head, ids)
		for _, l := range r.Body {
			s.countNames(l, ids)
		}
	}
	vertices := len(s.names)
	for _, r := range rules {
		c := clause{}
		variables := map[string]int{}
		c.head = newTerm(r.Head, ids, variables, vertices)
		for _, l := range r.Body {
			c.body = append(c.body, newTerm(l, ids, variables, vertices))
		}
		for range variables {
			c.variables = append(c.variables, vertices)
			vertices++
		}
		s.clauses = append(s.clauses, c)
	}
	s.vertices = make([]int, vertices)
	for i := range s.vertices {
		s.vertices[i] = i
	}
	s.sums = make([]uint64, vertices)
	colours := make([]uint64, vertices)
	for i := len(s.names); i < vertices; i++ {
		colours[i] = 1 // a variable
	}
	s.visit(colours, nil) // the root: no name has a colour of its own
	if s.work > budget {
		return nil, ErrBudget
	}
	f := &Form{Text: s.best}
	for _, v := range s.bestOrder {
		f.Names = append(f.Names, s.names[v])
	}
	return f, nil
}

// Dictionary maps the names of one sheet to the corresponding names of another sheet with the same canonical text.
func (f *Form) Dictionary(to *Form) map[string]string {
	d := make(map[string]string, len(f.Names))
	for i, name := range f.Names {
		d[name] = to.Names[i]
	}
	return d
}

// countNames gives a number to each name in a term that has none yet.
func (s *search) countNames(t kif.Term, ids map[string]int) {
	if _, known := ids[t.Name]; !known && !t.IsVariable() && !kif.IsFixed(t.Name) {
		ids[t.Name] = len(s.names)
		s.names = append(s.names, t.Name)
	}
	for _, a := range t.Args {
		s.countNames(a, ids)
	}
}

// term is a term of a rule, prepared for hashing.
type term struct {
	vertex    int    // vertex of its name or variable; -1 for a keyword or number
	word      string // the keyword or number
	fixed     uint64 // hash of word
	unordered bool   // the arguments commute
	args      []term
	hash      uint64 // result of the last hashTerm
}

// clause is a rule. The order of the literals in its body does not matter.
type clause struct {
	head      term
	body      []term
	variables []int
}

// newTerm converts a term. Names get their number in ids as vertex, new variables the vertices from first on.
func newTerm(t kif.Term, ids, variables map[string]int, first int) term {
	n := term{vertex: -1}
	if id, ok := ids[t.Name]; ok {
		n.vertex = id
	} else if t.IsVariable() {
		id, ok := variables[t.Name]
		if !ok {
			id = first + len(variables)
			variables[t.Name] = id
		}
		n.vertex = id
	} else {
		n.word = t.Name
		for _, c := range []byte(t.Name) {
			n.fixed = mix(n.fixed, uint64(c))
		}
		n.unordered = t.Name == "or" || t.Name == "and" || t.Name == "distinct"
	}
	for _, a := range t.Args {
		n.args = append(n.args, newTerm(a, ids, variables, first))
	}
	return n
}
