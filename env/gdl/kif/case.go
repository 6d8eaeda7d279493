package kif

import (
	"slices"
	"strconv"
	"strings"
)

// keywords are the words that have a meaning in every sheet. They are read in any case where they have it: at the head
// of an atom or a literal. In terms they are names.
var keywords = []string{
	"role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "not", "or", "and", "distinct",
	"random", "sees",
}

// IsFixed reports whether a word is a keyword or a number, whose meaning does not depend on the sheet.
func IsFixed(word string) bool {
	_, err := strconv.ParseInt(word, 10, 32)
	return err == nil || slices.Contains(keywords, word)
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
		variables := map[string]Node{}
		walkRule(n, func(n Node, keyword bool) Node {
			if !keyword {
				c.add(n, variables)
			}
			return n
		})
	}
	return c
}

// walkRule replaces the words of a rule by what replace returns, which learns whether the word is a keyword in its place.
func walkRule(n Node, replace func(n Node, keyword bool) Node) Node {
	const (
		rule = iota
		literal
		term
	)
	var walk func(n Node, kind int) Node
	walk = func(n Node, kind int) Node {
		if !n.IsList() {
			return replace(n, kind != term && slices.Contains(keywords, strings.ToLower(n.Atom)))
		}
		list := make([]Node, len(n.List))
		inner := term
		for i, m := range n.List {
			switch word := strings.ToLower(m.Atom); {
			case i > 0:
				list[i] = walk(m, inner)
				continue
			case kind == rule && word == "<=", kind == literal && (word == "not" || word == "and" || word == "or"):
				inner = literal
			}
			list[i] = walk(m, kind)
		}
		n.List = list
		return n
	}
	return walk(n, rule)
}

// add notes a name or variable; variables holds those of its rule by their lower case.
func (c *Case) add(n Node, variables map[string]Node) {
	lower := strings.ToLower(n.Atom)
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

// foldRule returns a rule with keywords in lower case, and with all other words so unless case counts.
func (c *Case) foldRule(n Node) Node {
	return walkRule(n, func(n Node, keyword bool) Node {
		if keyword || c.Twins == nil {
			n.Atom = strings.ToLower(n.Atom)
		}
		return n
	})
}

// Fold returns a term with all words in lower case unless case counts.
func (c *Case) Fold(n Node) Node {
	if c.Twins != nil {
		return n
	}
	n.Atom = strings.ToLower(n.Atom)
	n.List = slices.Clone(n.List)
	for i, m := range n.List {
		n.List[i] = c.Fold(m)
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
