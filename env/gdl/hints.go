package gdl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/kif"
)

// Hint is a likely mistake in a sheet: a condition that can never hold, because nothing defines what it names.
type Hint struct {
	Pos  kif.Pos
	Text string
}

func (h Hint) String() string { return h.Pos.String() + ": " + h.Text }

// Hints lists the conditions of a sheet that name a relation, a fluent or a move that no rule and no fact defines, each
// name once. It returns none for a text that is no sheet.
func Hints(text string) []Hint {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil
	}
	d := definitions{relations: names{}, fluents: names{}, moves: names{}, seen: map[string]bool{}}
	for _, r := range rules {
		d.relations.add(r.Head)
		switch args := r.Head.Args; {
		case (r.Head.Name == "init" || r.Head.Name == "next") && len(args) == 1:
			d.fluents.add(args[0])
		case r.Head.Name == "legal" && len(args) == 2:
			d.moves.add(args[1])
		}
	}
	for _, r := range rules {
		for _, l := range r.Body {
			d.check(l)
		}
	}
	return d.hints
}

// names are names with the numbers of arguments they are defined with; "" stands for a variable, which may be anything.
type names map[string][]int

func (n names) add(t kif.Term) {
	name := t.Name
	if t.IsVariable() {
		name = ""
	}
	if !slices.Contains(n[name], len(t.Args)) {
		n[name] = append(n[name], len(t.Args))
	}
}

// definitions are what a sheet defines.
type definitions struct {
	relations, fluents, moves names
	seen                      map[string]bool
	hints                     []Hint
}

// check looks for undefined names in a condition.
func (d *definitions) check(l kif.Term) {
	switch l.Name {
	case "not", "or", "and":
		for _, a := range l.Args {
			d.check(a)
		}
	case "true":
		if len(l.Args) == 1 {
			d.find(d.fluents, l.Args[0], "no init and no next makes %s true")
		}
	case "does":
		if len(l.Args) == 2 {
			d.find(d.moves, l.Args[1], "no rule makes the move %s legal")
		}
	case "distinct", "role", "init", "next", "legal", "goal", "terminal", "base", "input":
	default:
		d.find(d.relations, l, "no rule and no fact gives %s")
	}
}

// find adds a hint if a term is not defined.
func (d *definitions) find(defined names, t kif.Term, format string) {
	_, any := defined[""]
	key := fmt.Sprint(format, t.Name, "/", len(t.Args))
	if any || t.IsVariable() || slices.Contains(defined[t.Name], len(t.Args)) || d.seen[key] {
		return
	}
	d.seen[key] = true
	text := fmt.Sprintf(format, t)
	var others []string
	for name := range defined {
		others = append(others, name)
	}
	slices.Sort(others)
	if counts := defined[t.Name]; len(counts) > 0 {
		text += fmt.Sprintf(" (elsewhere %s has %d arguments)", t.Name, counts[0])
	} else if near := env.Nearest(t.Name, others); near != "" {
		text += fmt.Sprintf(" (perhaps %s is meant)", near)
	}
	d.hints = append(d.hints, Hint{t.Pos, text})
}

// maxHints is the number of hints that are printed.
const maxHints = 3

// textOfHints returns the first hints as a sentence; "" if there are none.
func textOfHints(hints []Hint) string {
	var list []string
	for _, h := range hints[:min(maxHints, len(hints))] {
		list = append(list, h.String())
	}
	if more := len(hints) - maxHints; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// explain adds hints to the error about a refused sheet. An error without a place gets that of the first hint.
func explain(err error, text string) error {
	hints := Hints(text)
	if err == nil || len(hints) == 0 || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if place := new(kif.Error); errors.As(err, &place) {
		return fmt.Errorf("%w. Also: %s", err, textOfHints(hints))
	}
	first := hints[0].Text
	if rest := textOfHints(hints[1:]); rest != "" {
		first += "; " + rest
	}
	return kif.Errorf(hints[0].Pos, "%s. The sheet is refused because %w", first, err)
}
