package kif

import (
	"slices"
	"strings"
)

// Term is a variable, such as ?x, a constant, or a name with arguments. Atoms of the logic, such as (true (cell 1 1)),
// and literals, such as (not (p ?x)), are terms too.
type Term struct {
	Name string
	Args []Term
	Pos  Pos
}

// IsVariable reports whether the term is a variable.
func (t Term) IsVariable() bool { return t.Name[0] == '?' }

func (t Term) String() string {
	if len(t.Args) == 0 {
		return t.Name
	}
	parts := []string{t.Name}
	for _, a := range t.Args {
		parts = append(parts, a.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// Rename returns a copy of the term with new names, variables included.
func (t Term) Rename(to func(name string) string) Term {
	t.Name, t.Args = to(t.Name), slices.Clone(t.Args)
	for i, a := range t.Args {
		t.Args[i] = a.Rename(to)
	}
	return t
}

// Rule says that Head holds if all literals of Body hold. A fact has no body.
type Rule struct {
	Head Term
	Body []Term
	Pos  Pos
}

func (r Rule) String() string {
	if len(r.Body) == 0 {
		return r.Head.String()
	}
	return Term{Name: "<=", Args: append([]Term{r.Head}, r.Body...)}.String()
}

// connectives are the words that make a condition of conditions or terms.
var connectives = map[string]struct {
	arity int    // number of arguments; -1: any from 1
	takes string // the arguments, in words
}{
	"not":      {1, "one condition"},
	"distinct": {2, "two terms"},
	"or":       {-1, "one condition or more"},
	"and":      {-1, "one condition or more"},
}

// Rules parses the nodes of a sheet, in lower case unless case counts. Errors are of type [Error].
func Rules(nodes []Node) ([]Rule, error) {
	var rules []Rule
	words := CaseOf(nodes)
	for _, n := range nodes {
		n = words.foldRule(n)
		rule := Rule{Pos: n.Pos}
		head := n
		if n.IsList() && len(n.List) > 0 && n.List[0].Atom == "<=" {
			if len(n.List) == 1 {
				return nil, Errorf(n.Pos, "a rule without a head")
			}
			head = n.List[1]
			for _, m := range n.List[2:] {
				l, err := literal(m)
				if err != nil {
					return nil, err
				}
				rule.Body = append(rule.Body, l)
			}
		}
		var err error
		if rule.Head, err = NewTerm(head); err != nil {
			return nil, err
		}
		if err = checkHead(rule.Head); err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// literal parses a literal of a body: an atom, or a connective with arguments. Negations move inwards, by De Morgan's laws:
// in the result they are of atoms and of distinct only.
func literal(n Node) (Term, error) {
	t, err := NewTerm(n)
	if err == nil {
		err = checkLiteral(t)
	}
	if err != nil {
		return t, err
	}
	return inwards(t, false), nil
}

// inwards returns a literal, or its negation, with its negations moved inwards.
func inwards(t Term, negate bool) Term {
	dual := map[string]string{"or": "and", "and": "or"}[t.Name]
	switch {
	case t.Name == "not":
		return inwards(t.Args[0], !negate)
	case dual != "":
		for i, a := range t.Args {
			t.Args[i] = inwards(a, negate)
		}
		if negate {
			t.Name = dual
		}
		return t
	case negate:
		return Term{Name: "not", Args: []Term{t}, Pos: t.Pos}
	}
	return t
}

// arrows are the arrows with which people write rules, but not GDL.
var arrows = []string{":-", "=>", "<-", "<--", "<==", "->", "-->", "==>", "⇐", "⇒", "←", "→"}

func isArrow(word string) bool { return slices.Contains(arrows, word) }

// checkHead returns an error if the head of a rule is a variable or a connective, or has an arrow as its name or, as in
// Prolog, between a head and conditions. Most arrows are arguments for another reason, such as a direction, unless a
// list follows.
func checkHead(head Term) error {
	if isArrow(head.Name) {
		return arrowError(head.Pos, head.Name)
	}
	for i, a := range head.Args[:max(0, len(head.Args)-1)] {
		prolog := a.Name == ":-" || a.Name == "=>"
		if isArrow(a.Name) && len(a.Args) == 0 && (prolog || len(head.Args[i+1].Args) > 0) {
			return arrowError(a.Pos, a.Name)
		}
	}
	if _, reserved := connectives[head.Name]; reserved || head.IsVariable() {
		return Errorf(head.Pos, "%s cannot be the head of a rule", head.Name)
	}
	return nil
}

func arrowError(pos Pos, arrow string) error {
	return Errorf(pos, "%s makes no rule; write (<= HEAD CONDITION ...), the head first", arrow)
}

// checkLiteral returns an error if a literal is an arrow or a variable, or if a connective in it has a wrong number of
// arguments.
func checkLiteral(t Term) error {
	if isArrow(t.Name) {
		return arrowError(t.Pos, t.Name)
	}
	if t.IsVariable() {
		return Errorf(t.Pos, "the variable %s stands where a condition must stand, such as (p %s)", t.Name, t.Name)
	}
	connective, ok := connectives[t.Name]
	if !ok {
		return nil
	}
	if connective.arity >= 0 && len(t.Args) != connective.arity || len(t.Args) == 0 {
		return Errorf(t.Pos, "%s takes %s, not %d", t.Name, connective.takes, len(t.Args))
	}
	if t.Name == "distinct" {
		return nil
	}
	for _, a := range t.Args {
		if err := checkLiteral(a); err != nil {
			return err
		}
	}
	return nil
}

// Atoms returns the atoms in literals, those of distinct included.
func Atoms(literals []Term) (atoms []Term) {
	for _, l := range literals {
		switch l.Name {
		case "not", "or", "and":
			atoms = append(atoms, Atoms(l.Args)...)
		default:
			atoms = append(atoms, l)
		}
	}
	return atoms
}

// NewTerm parses a term.
func NewTerm(n Node) (Term, error) {
	if !n.IsList() {
		if n.Atom == "<=" || n.Atom == "?" {
			return Term{}, Errorf(n.Pos, "%s stands where a term must stand", n.Atom)
		}
		return Term{Name: n.Atom, Pos: n.Pos}, nil
	}
	if len(n.List) == 0 {
		return Term{}, Errorf(n.Pos, "an empty list stands where a term must stand")
	}
	first := n.List[0]
	if first.IsList() && len(n.List) > 1 && isArrow(n.List[1].Atom) {
		return Term{}, arrowError(n.List[1].Pos, n.List[1].Atom)
	}
	if first.IsList() || first.Atom == "<=" || first.Atom[0] == '?' {
		return Term{}, Errorf(first.Pos, "a list must begin with a name, not with %s", cut(first.String()))
	}
	t := Term{Name: first.Atom, Pos: n.Pos}
	for _, m := range n.List[1:] {
		a, err := NewTerm(m)
		if err != nil {
			return Term{}, err
		}
		t.Args = append(t.Args, a)
	}
	return t, nil
}

// cut shortens a text to 40 bytes for an error message.
func cut(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "..."
	}
	return text
}

// ReadTerm reads a text that is a single term.
func ReadTerm(text string) (Term, error) {
	nodes, err := Read(text)
	if err != nil {
		return Term{}, err
	}
	if len(nodes) != 1 {
		return Term{}, Errorf(Pos{1, 1}, "%s is not a single term", cut(text))
	}
	return NewTerm(nodes[0])
}

// ReadRules reads a sheet: [Read], then [Rules].
func ReadRules(text string) ([]Rule, error) {
	nodes, err := Read(text)
	if err != nil {
		return nil, err
	}
	return Rules(nodes)
}
