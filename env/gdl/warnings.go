package gdl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
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
	rules                     []kif.Rule
	circuit                   *gates.Circuit
	relations, fluents, moves names           // names that the sheet defines
	starts                    names           // names of the initial fluents
	seen                      map[string]bool // keys given to once
	warnings                  []Warning
}

// check returns the warnings about a sheet. It runs its checks in order and stops at the first that finds something,
// because a mistake causes others. The circuit is nil if the sheet was refused before it had one. A text that is not a
// sheet has no warnings.
func check(text string, circuit *gates.Circuit) []Warning {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil
	}
	c := &checker{rules: rules, circuit: circuit, relations: names{}, fluents: names{}, starts: names{}, moves: names{}, seen: map[string]bool{}}
	c.define()
	for _, step := range []func(){c.warnComma, c.warnNames, c.warnNever, c.warnLost} {
		if step(); len(c.warnings) > 0 {
			break
		}
	}
	return c.warnings
}

// warn adds a warning.
func (c *checker) warn(pos kif.Pos, format string, args ...any) {
	c.warnings = append(c.warnings, Warning{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// once reports whether this is its first call with a key.
func (c *checker) once(key string) bool {
	before := c.seen[key]
	c.seen[key] = true
	return !before
}

// define collects the names of relations, fluents and moves that the sheet defines.
func (c *checker) define() {
	for _, r := range c.rules {
		c.relations.add(r.Head)
		switch args := r.Head.Args; {
		case (r.Head.Name == "init" || r.Head.Name == "next") && len(args) == 1:
			c.fluents.add(args[0])
			if r.Head.Name == "init" {
				c.starts.add(args[0])
			}
		case r.Head.Name == "legal" && len(args) == 2:
			c.moves.add(args[1])
		}
	}
}

// warnComma warns about a comma in a name: some people write (cell 1, 2).
func (c *checker) warnComma() {
	var visit func(t kif.Term)
	visit = func(t kif.Term) {
		if strings.Contains(t.Name, ",") && len(c.warnings) == 0 {
			c.warnings = []Warning{{Pos: t.Pos, Text: fmt.Sprintf("a comma in %s: blanks alone separate words", t.Name), Sure: true}}
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	for _, r := range c.rules {
		visit(r.Head)
		for _, l := range r.Body {
			visit(l)
		}
	}
}

// warnNames warns about names that are used but not defined, and names that are defined but not used.
func (c *checker) warnNames() {
	for a := range c.atoms() {
		c.checkAtom(a)
	}
	c.checkHeads()
	c.checkRoles()
	if mistake := new(kif.Error); errors.As(ground.CheckUnused(context.Background(), c.rules), &mistake) {
		c.warn(mistake.Pos, "%s; nothing asks for the rule", mistake.Message)
	}
}

// atoms iterates over the atoms in the conditions of all rules.
func (c *checker) atoms() func(yield func(kif.Term) bool) {
	return func(yield func(kif.Term) bool) {
		var visit func(l kif.Term) bool
		visit = func(l kif.Term) bool {
			switch l.Name {
			case "not", "or", "and":
				return !slices.ContainsFunc(l.Args, func(a kif.Term) bool { return !visit(a) })
			}
			return yield(l)
		}
		for _, r := range c.rules {
			if slices.ContainsFunc(r.Body, func(l kif.Term) bool { return !visit(l) }) {
				return
			}
		}
	}
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
	if defined.any() || t.IsVariable() || defined.has(t) || !c.once(fmt.Sprint(format, t.Name, "/", len(t.Args))) {
		return
	}
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
	for a := range c.atoms() {
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
			c.warnings = append(c.warnings, Warning{r.Head.Pos, text, c.fits(near, r.Head.Args)})
		}
	}
}

// fits reports whether arguments suit a keyword: a known fluent for init and next, a known move for legal, a number
// from 0 to 100 for goal.
func (c *checker) fits(keyword string, args []kif.Term) bool {
	switch keyword {
	case "init", "next":
		return c.fluents.has(args[0])
	case "legal":
		return c.moves.has(args[1])
	case "goal":
		value, err := strconv.Atoi(args[1].Name)
		return err == nil && value >= 0 && value <= 100
	}
	return keyword == "terminal"
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
	for a := range c.atoms() {
		check(a)
	}
}

// warnNever warns about conditions that never hold, each name once. If some lack an initial fact, it reports only
// these, because the others may follow from them.
func (c *checker) warnNever() {
	causes := c.firstCauses()
	if slices.ContainsFunc(causes, c.lacksInit) {
		causes = slices.DeleteFunc(slices.Clone(causes), func(l kif.Term) bool { return !c.lacksInit(l) })
	}
	for _, l := range causes {
		why := ""
		switch {
		case c.lacksInit(l):
			why = fmt.Sprintf(": no position has such a fact, because there is no (init (%s ...))", l.Args[0].Name)
		case l.Name == "true":
			why = ": no position has such a fact"
		case l.Name == "does":
			why = ": nobody ever has such a move"
		}
		if c.once(nameOfCondition(l)) {
			c.warn(l.Pos, "%s never holds%s", l, why)
		}
	}
}

// lacksInit reports whether a condition asks for a fluent such as (cell ...) of which no initial fluent has the name.
func (c *checker) lacksInit(l kif.Term) bool {
	return l.Name == "true" && len(l.Args) == 1 && !c.starts.has(l.Args[0]) && !c.starts.any()
}

// firstCauses returns the conditions that never hold for a reason of their own. It omits those that follow from others:
// every rule that derives them has another condition that never holds. If all follow from each other, it returns all.
func (c *checker) firstCauses() (first []kif.Term) {
	if c.circuit == nil {
		return nil
	}
	never := c.circuit.Program.Never
	known := map[string]bool{}
	for _, l := range never {
		known[l.String()] = true
	}
	follows := map[string]bool{} // by name of condition: all its rules have a condition that never holds
	for _, r := range c.rules {
		derived := r.Head
		switch {
		case (derived.Name == "init" || derived.Name == "next") && len(derived.Args) == 1:
			derived.Name = "true"
		case derived.Name == "legal" && len(derived.Args) == 2:
			derived.Name = "does"
		}
		name := nameOfCondition(derived)
		other := func(l kif.Term) bool { return known[l.String()] && nameOfCondition(l) != name }
		before, again := follows[name]
		follows[name] = (before || !again) && slices.ContainsFunc(r.Body, other)
	}
	for _, l := range never {
		if !follows[nameOfCondition(l)] {
			first = append(first, l)
		}
	}
	if len(first) == 0 {
		return never
	}
	return first
}

// nameOfCondition returns the name of a condition's relation. For true and does it includes the name of the fluent or
// move.
func nameOfCondition(l kif.Term) string {
	switch {
	case l.Name == "true" && len(l.Args) == 1:
		return "true " + l.Args[0].Name
	case l.Name == "does" && len(l.Args) == 2:
		return "does " + l.Args[1].Name
	}
	return l.Name
}

// names maps each name to the numbers of arguments that it is defined with. "" stands for a variable, which may be any
// name.
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
