package kif

import (
	"slices"
	"strings"
)

// Keywords are the words that have a meaning in every sheet. They are read in any case.
var Keywords = []string{
	"role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "not", "or", "and", "distinct",
	"random", "sees",
}

// Case tells how a sheet uses upper and lower case. Case counts if two names, or two variables of one rule, differ in
// nothing else. Otherwise [Case.Fold] turns all words into lower case, so that messages may write them in any case.
type Case struct {
	Twins   []Node          // the first two words that differ in case only; nil if case does not count
	written map[string]Node // names as the sheet writes them, by their lower case
}

// CaseOf finds out whether case counts in a sheet.
func CaseOf(nodes []Node) *Case {
	c := &Case{written: map[string]Node{}}
	for _, n := range nodes {
		c.add(n, map[string]Node{})
	}
	return c
}

// add notes the words of a node; variables holds those of its rule by their lower case.
func (c *Case) add(n Node, variables map[string]Node) {
	for _, m := range n.List {
		c.add(m, variables)
	}
	lower := strings.ToLower(n.Atom)
	if n.IsList() || slices.Contains(Keywords, lower) {
		return
	}
	words := c.written
	if lower[0] == '?' {
		words = variables
	}
	first, known := words[lower]
	switch {
	case !known:
		words[lower] = n
	case first.Atom != n.Atom && c.Twins == nil:
		c.Twins = []Node{first, n}
	}
}

// Fold returns a node with keywords in lower case, and with all other words so unless case counts.
func (c *Case) Fold(n Node) Node {
	if lower := strings.ToLower(n.Atom); c.Twins == nil || slices.Contains(Keywords, lower) {
		n.Atom = lower
	}
	if len(n.List) > 0 {
		list := make([]Node, len(n.List))
		for i, m := range n.List {
			list[i] = c.Fold(m)
		}
		n.List = list
	}
	return n
}

// Written returns a name that Fold returned as the sheet writes it.
func (c *Case) Written(name string) string {
	if written, ok := c.written[name]; ok && c.Twins == nil {
		return written.Atom
	}
	return name
}
