package kif

import "slices"

// maxAlternatives is the largest number of conjunctions that or makes of one rule.
const maxAlternatives = 4096

// Expander turns the bodies of a sheet's rules into conjunctions of atoms, their negations, and tests with distinct.
type Expander struct {
	// Merge, if set, may replace several alternatives of a literal by fewer.
	Merge func(alternatives [][]Term, pos Pos) [][]Term
	// MaxCopied limits the literals that or copies, of all rules together; 0: no limit.
	MaxCopied int

	copied int // literals copied so far
}

// Expand returns the disjunctive normal form of a body.
func (e *Expander) Expand(body []Term, pos Pos) ([][]Term, error) {
	result := [][]Term{nil}
	for _, l := range body {
		choices, err := e.choices(l, pos)
		if err != nil {
			return nil, err
		}
		if len(choices) > 1 && e.Merge != nil {
			choices = e.Merge(choices, pos)
		}
		if len(result)*len(choices) > maxAlternatives {
			return nil, Errorf(pos, "or turns this rule into more than %d", maxAlternatives)
		}
		if len(choices) == 1 && len(result) == 1 {
			result[0] = append(result[0], choices[0]...)
			continue
		}
		var next [][]Term
		for _, r := range result {
			for _, c := range choices {
				e.copied += 1 + len(r) + len(c)
				if e.MaxCopied > 0 && e.copied > e.MaxCopied {
					return nil, Errorf(pos, "or turns the rules up to this one into too many")
				}
				next = append(next, slices.Concat(r, c))
			}
		}
		result = next
	}
	return result, nil
}

// choices returns the disjunctive normal form of a literal.
func (e *Expander) choices(l Term, pos Pos) (list [][]Term, err error) {
	switch l.Name {
	case "or":
		for _, a := range l.Args {
			c, err := e.Expand([]Term{a}, pos)
			if err != nil {
				return nil, err
			}
			list = append(list, c...)
		}
		return list, nil
	case "and":
		return e.Expand(l.Args, pos)
	}
	return [][]Term{{l}}, nil
}
