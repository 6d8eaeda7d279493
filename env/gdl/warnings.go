package gdl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/kif"
	"ludus/env/naming"
)

// Warning is a likely mistake in a sheet, such as a misspelt name, a condition that never holds, or fluents that no rule
// carries over to the next position.
type Warning struct {
	Pos  kif.Pos // zero if the mistake is in no particular line
	Text string
	Sure bool // the sheet is certainly wrong, as with a name that nothing defines and that resembles a defined one
}

func (w Warning) String() string {
	if w.Pos == (kif.Pos{}) {
		return w.Text
	}
	return w.Pos.String() + ": " + w.Text
}

// Warnings lists likely mistakes in the sheet of a game; none if the game has no sheet.
func Warnings(e *env.Game) []Warning {
	if e.Sheet == "" {
		return nil
	}
	g := e.NewState().(*state).game
	warnings := check(e.Sheet, g.circuit)
	if len(warnings) == 0 {
		warnings = g.trial.warnings()
	}
	return warnings
}

// checker collects the warnings about a sheet.
type checker struct {
	words                     *kif.Case
	rules                     []kif.Rule
	circuit                   *gates.Circuit
	atoms                     []kif.Term      // atoms in the conditions of all rules
	relations, fluents, moves names           // names that the sheet defines
	seen                      map[string]bool // undefined names found so far
	warnings                  []Warning
}

// check returns the warnings about a sheet. It runs its checks in order and stops at the first that finds something,
// because a mistake causes others. The circuit is nil if the sheet was refused before it had one. A text that is not a
// sheet has no warnings.
func check(text string, circuit *gates.Circuit) []Warning {
	nodes, err := kif.Read(text)
	if err != nil {
		return nil
	}
	rules, err := kif.Rules(nodes)
	if err != nil {
		return nil
	}
	c := &checker{words: kif.CaseOf(nodes), rules: rules, circuit: circuit, relations: names{}, fluents: names{}, moves: names{}, seen: map[string]bool{}}
	c.define()
	for _, step := range []func(){c.warnComma, c.warnCase, c.warnNames, c.warnNever, c.warnLost} {
		step()
		if len(c.warnings) > 0 {
			break
		}
	}
	return c.warnings
}

// define collects the atoms of conditions, and the names of relations, fluents and moves that the sheet defines.
func (c *checker) define() {
	for _, r := range c.rules {
		c.atoms = append(c.atoms, kif.Atoms(r.Body)...)
		c.relations.add(r.Head)
		switch args := r.Head.Args; {
		case (r.Head.Name == "init" || r.Head.Name == "next") && len(args) == 1:
			c.fluents.add(args[0])
		case r.Head.Name == "legal" && len(args) == 2:
			c.moves.add(args[1])
		}
	}
}

// warnComma warns about the first rule with a comma, a sure mistake: some people write (cell 1, 2). It is the first check,
// so there are no other warnings yet.
func (c *checker) warnComma() {
	for _, r := range c.rules {
		if strings.Contains(r.String(), ",") {
			c.warnings = []Warning{{Pos: r.Pos, Text: "a comma in this rule: blanks alone separate words", Sure: true}}
			return
		}
	}
}

// warnCase warns about two words that differ in case only.
func (c *checker) warnCase() {
	if twins := c.words.Twins; twins != nil {
		c.warnings = []Warning{{Pos: twins[1].Pos, Text: fmt.Sprintf("%s and %s (%v) are two words, so upper and lower case differ in the whole sheet",
			twins[1], twins[0], twins[0].Pos)}}
	}
}

// warnNames warns about names that are used but not defined, and names that are defined but not used.
func (c *checker) warnNames() {
	for _, a := range c.atoms {
		c.checkAtom(a)
	}
	c.checkHeads()
	c.checkRoles()
}

// checkAtom warns if an atom of a condition uses an undefined name.
func (c *checker) checkAtom(a kif.Term) {
	switch a.Name {
	case "true":
		if len(a.Args) == 1 {
			c.find(c.fluents, a.Args[0], "no init and no next makes %s true")
		}
	case "does":
		if len(a.Args) == 2 {
			c.find(c.moves, a.Args[1], "no rule makes the move %s legal")
		}
	case "distinct", "role", "init", "next", "legal", "goal", "terminal", "base", "input":
	default:
		c.find(c.relations, a, "no rule and no fact gives %s")
	}
}

// find adds a warning, with a suggestion if it has one, if a term's name is not among the defined ones.
func (c *checker) find(defined names, t kif.Term, format string) {
	key := fmt.Sprint(format, t.Name, "/", len(t.Args))
	if defined.any() || t.IsVariable() || defined.has(t) || c.seen[key] {
		return
	}
	c.seen[key] = true
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(defined)), func(name string) bool {
		return slices.Contains([]string{"init", "next", "base", "input"}, name) // never in a condition
	})
	w := Warning{Pos: t.Pos, Text: fmt.Sprintf(format, t), Sure: true}
	if counts := defined[t.Name]; len(counts) > 0 {
		w.Text += fmt.Sprintf(" (elsewhere %s has %d arguments)", t.Name, counts[0])
	} else if near := naming.Nearest(t.Name, others); near != "" {
		w.Text += fmt.Sprintf(" (perhaps %s is meant)", near)
	} else {
		w.Sure = false
	}
	c.warnings = append(c.warnings, w)
}

// keywords are the relations of GDL that sheets define, with their numbers of arguments.
var keywords = names{"role": {1}, "init": {1}, "next": {1}, "legal": {2}, "goal": {2}, "terminal": {0}, "base": {1}, "input": {2}}

// checkHeads warns about relations that no condition uses and whose name resembles a keyword, such as teminal.
func (c *checker) checkHeads() {
	asked := names{}
	for _, a := range c.atoms {
		asked.add(a)
	}
	for _, r := range c.rules {
		if keywords[r.Head.Name] != nil || asked.has(r.Head) {
			continue
		}
		asked.add(r.Head)
		var words []string
		for name := range keywords {
			if keywords.has(kif.Term{Name: name, Args: r.Head.Args}) {
				words = append(words, name)
			}
		}
		slices.Sort(words)
		if near := naming.Nearest(r.Head.Name, words); near != "" {
			text := fmt.Sprintf("nothing asks for %s (perhaps %s is meant)", r.Head, near)
			c.warnings = append(c.warnings, Warning{r.Head.Pos, text, len(r.Body) > 0}) // a fact may be there for the order of coordinates
		}
	}
}

// checkRoles warns about players in legal, goal and does that are not roles.
func (c *checker) checkRoles() {
	roles := names{}
	for _, r := range c.rules {
		if r.Head.Name == "role" && len(r.Head.Args) == 1 {
			roles.add(r.Head.Args[0])
		}
	}
	check := func(a kif.Term) {
		if (a.Name == "legal" || a.Name == "goal" || a.Name == "does") && len(a.Args) == 2 {
			c.find(roles, a.Args[0], "nobody has the role %s")
		}
	}
	for _, r := range c.rules {
		check(r.Head)
	}
	for _, a := range c.atoms {
		check(a)
	}
}

// warnNever warns about the first conditions that never hold; later ones often follow from them.
func (c *checker) warnNever() {
	if c.circuit == nil {
		return
	}
	never := c.circuit.Program.Never
	for _, l := range never[:min(maxWarnings, len(never))] {
		why := ""
		switch l.Name {
		case "true":
			why = ": no position has such a fact"
		case "does":
			why = ": nobody ever has such a move"
		}
		c.warnings = append(c.warnings, Warning{Pos: l.Pos, Text: fmt.Sprintf("%s never holds%s", l, why)})
	}
}

// names maps each name to the numbers of arguments that it is defined with. "" stands for a variable, which may be any
// name.
type names map[string][]int

// add adds a term's name with its number of arguments.
func (n names) add(t kif.Term) {
	name := t.Name
	if t.IsVariable() {
		name = ""
	}
	if !slices.Contains(n[name], len(t.Args)) {
		n[name] = append(n[name], len(t.Args))
	}
}

func (n names) has(t kif.Term) bool { return slices.Contains(n[t.Name], len(t.Args)) }

// any reports whether the names include a variable, so that any name may be defined.
func (n names) any() bool { return len(n[""]) > 0 }

// maxWarnings is the largest number of warnings in an error text.
const maxWarnings = 3

// textOf joins the first warnings in one line; "" if there are none.
func textOf(warnings []Warning) string {
	var list []string
	for _, w := range warnings[:min(maxWarnings, len(warnings))] {
		list = append(list, w.String())
	}
	if more := len(warnings) - maxWarnings; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// explain adds the warnings about a refused sheet to its error. An error without a line gets the line of the first
// warning.
func explain(err error, text string, circuit *gates.Circuit) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	warnings := check(text, circuit)
	if len(warnings) == 0 {
		return err
	}
	if place := new(kif.Error); errors.As(err, &place) {
		return fmt.Errorf("%w. Also: %s", err, textOf(warnings))
	}
	first := warnings[0].Text
	if rest := textOf(warnings[1:]); rest != "" {
		first += "; " + rest
	}
	return kif.Errorf(warnings[0].Pos, "%s. The sheet is refused because %w", first, err)
}
