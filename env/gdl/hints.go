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
)

// Hint is a likely mistake in a sheet, such as a condition that can never hold, a rule for a misspelt word of the language, or
// facts that no rule carries over.
type Hint struct {
	Pos  kif.Pos // zero if it belongs to no line
	Text string
	Sure bool // the sheet is wrong: a word is nearly another one, and without that meaning it is of no use
}

func (h Hint) String() string {
	if h.Pos == (kif.Pos{}) {
		return h.Text
	}
	return h.Pos.String() + ": " + h.Text
}

// Hints lists likely mistakes in the sheet of a game; none if the game has no sheet.
func Hints(e *env.Game) []Hint {
	if e.Sheet == "" {
		return nil
	}
	g := e.NewState().(*state).game
	hints := hintsOf(e.Sheet, g.net)
	if len(hints) == 0 {
		hints = g.trial.hints(e)
	}
	return hints
}

// hintsOf lists the conditions of a sheet that name a relation, a fluent or a move that no rule and no fact defines, each
// name once, and heads that look like a word of the language, but that nothing asks for. If there are none, it lists the
// conditions that grounding has found never to hold, each name once, and if there are none, facts that are not carried over.
// The network is nil if the sheet has none. It returns none for a text that is no sheet.
func hintsOf(text string, net *gates.Circuit) []Hint {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil
	}
	if comma := findComma(rules); comma != nil {
		text := fmt.Sprintf("a comma in %s: blanks alone separate words", comma.Name)
		return []Hint{{Pos: comma.Pos, Text: text, Sure: true}} // what else is wrong follows from it
	}
	d := definitions{relations: names{}, fluents: names{}, starts: names{}, moves: names{}, seen: map[string]bool{}}
	for _, r := range rules {
		d.relations.add(r.Head)
		switch args := r.Head.Args; {
		case (r.Head.Name == "init" || r.Head.Name == "next") && len(args) == 1:
			d.fluents.add(args[0])
			if r.Head.Name == "init" {
				d.starts.add(args[0])
			}
		case r.Head.Name == "legal" && len(args) == 2:
			d.moves.add(args[1])
		}
	}
	for _, r := range rules {
		for _, l := range r.Body {
			d.check(l)
		}
	}
	d.checkHeads(rules)
	d.checkRoles(rules)
	if len(d.hints) == 0 {
		d.checkStart(rules)
	}
	if mistake := new(kif.Error); errors.As(ground.CheckUnused(context.Background(), rules), &mistake) {
		d.hints = append(d.hints, Hint{Pos: mistake.Pos, Text: mistake.Message + "; nothing asks for the rule"})
	}
	if len(d.hints) == 0 && net != nil { // otherwise most follow from these mistakes
		causes := firstCauses(rules, net.Program.Never)
		for _, l := range causes {
			if d.lacksStart(l) {
				d.checkNever(l)
			}
		}
		if len(d.hints) > 0 {
			return d.hints // other conditions may lack these facts
		}
		for _, l := range causes {
			d.checkNever(l)
		}
	}
	if len(d.hints) == 0 && net != nil {
		d.hints = hintsOnFrames(rules, net)
	}
	return d.hints
}

// outputs are the relations that a game consists of, and those that say what it may contain, with their numbers of arguments.
var outputs = names{"role": {1}, "init": {1}, "next": {1}, "legal": {2}, "goal": {2}, "terminal": {0}, "base": {1}, "input": {2}}

// checkHeads looks for heads that nothing asks for and that differ from one of outputs by little, each name once.
func (d *definitions) checkHeads(rules []kif.Rule) {
	asked := names{}
	for _, r := range rules {
		for _, l := range r.Body {
			visitAtoms(l, asked.add)
		}
	}
	for _, r := range rules {
		if outputs[r.Head.Name] != nil || asked.has(r.Head) {
			continue // with a wrong number of arguments the sheet is refused
		}
		asked.add(r.Head)
		var words []string
		for name := range outputs {
			if outputs.has(kif.Term{Name: name, Args: r.Head.Args}) {
				words = append(words, name)
			}
		}
		slices.Sort(words)
		if near := env.Nearest(r.Head.Name, words); near != "" {
			text := fmt.Sprintf("nothing asks for %s (perhaps %s is meant)", r.Head, near)
			d.hints = append(d.hints, Hint{r.Head.Pos, text, d.fits(near, r.Head.Args)})
		}
	}
}

// fits reports whether arguments are what an output takes: a known fluent or move, or a goal.
func (d *definitions) fits(output string, args []kif.Term) bool {
	switch output {
	case "init", "next":
		return d.fluents.has(args[0])
	case "legal":
		return d.moves.has(args[1])
	case "goal":
		value, err := strconv.Atoi(args[1].Name)
		return err == nil && value >= 0 && value <= 100
	}
	return output == "terminal"
}

// minRole is the length of names of roles that are looked for among similar names.
const minRole = 3

// checkRoles looks for players in legal, goal and does that are no role, each once, and for roles that nothing else in the sheet
// names, although it names others and has a similar name.
func (d *definitions) checkRoles(rules []kif.Rule) {
	roles := names{}
	var list []kif.Term
	others := map[string]bool{}
	for _, r := range rules {
		if r.Head.Name == "role" && len(r.Head.Args) == 1 {
			roles.add(r.Head.Args[0])
			list = append(list, r.Head.Args[0])
			continue
		}
		for _, t := range append([]kif.Term{r.Head}, r.Body...) {
			visitArguments(t, func(a kif.Term) { others[a.Name] = true })
		}
	}
	for _, role := range list {
		if role.IsVariable() || others[role.Name] || len(role.Name) < minRole || !slices.ContainsFunc(list, func(r kif.Term) bool { return others[r.Name] }) {
			continue
		}
		if near := env.Nearest(role.Name, slices.Sorted(maps.Keys(others))); near != "" && !roles.has(kif.Term{Name: near}) {
			d.hints = append(d.hints, Hint{Pos: role.Pos, Text: fmt.Sprintf("nothing else names the role %s (perhaps %s is meant)", role.Name, near)})
		}
	}
	check := func(l kif.Term) {
		if (l.Name == "legal" || l.Name == "goal" || l.Name == "does") && len(l.Args) == 2 {
			d.find(roles, l.Args[0], "nobody has the role %s")
		}
	}
	for _, r := range rules {
		check(r.Head)
		for _, l := range r.Body {
			visitAtoms(l, check)
		}
	}
}

// checkStart looks for facts of the first position that no condition asks for, although conditions ask for others of their
// name; each name once.
func (d *definitions) checkStart(rules []kif.Rule) {
	asked := map[string][]kif.Term{}
	for _, r := range rules {
		for _, l := range r.Body {
			visitAtoms(l, func(a kif.Term) {
				if a.Name == "true" && len(a.Args) == 1 {
					name := a.Args[0].Name
					if a.Args[0].IsVariable() {
						name = ""
					}
					asked[name] = append(asked[name], a.Args[0])
				}
			})
		}
	}
	if len(asked[""]) > 0 {
		return // a condition that asks for any fact
	}
	for _, r := range rules {
		if r.Head.Name != "init" || len(r.Head.Args) != 1 {
			continue
		}
		fact := r.Head.Args[0]
		list := asked[fact.Name]
		meets := func(t kif.Term) bool { return mayEqual(t, fact) }
		if key := "init " + fact.Name; len(list) > 0 && !slices.ContainsFunc(list, meets) && !d.seen[key] {
			d.seen[key] = true
			d.hints = append(d.hints, Hint{Pos: fact.Pos, Text: fmt.Sprintf("no condition asks for %s", fact)})
		}
	}
}

// mayEqual reports whether two terms are equal for some values of their variables, if a variable may have several.
func mayEqual(a, b kif.Term) bool {
	if a.IsVariable() || b.IsVariable() {
		return true
	}
	return a.Name == b.Name && slices.EqualFunc(a.Args, b.Args, mayEqual)
}

// visitAtoms calls visit with the atoms of a condition.
func visitAtoms(l kif.Term, visit func(kif.Term)) {
	switch l.Name {
	case "not", "or", "and":
		for _, a := range l.Args {
			visitAtoms(a, visit)
		}
	default:
		visit(l)
	}
}

// visitArguments calls visit with the constants among the arguments of a term, and among theirs.
func visitArguments(t kif.Term, visit func(kif.Term)) {
	for _, a := range t.Args {
		if len(a.Args) == 0 && !a.IsVariable() {
			visit(a)
		}
		visitArguments(a, visit)
	}
}

// findComma returns the first term with a comma in its name, or nil.
func findComma(rules []kif.Rule) (found *kif.Term) {
	var visit func(t kif.Term)
	visit = func(t kif.Term) {
		if found == nil && strings.Contains(t.Name, ",") {
			found = &t
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	for _, r := range rules {
		visit(r.Head)
		for _, l := range r.Body {
			visit(l)
		}
	}
	return found
}

// firstCauses returns those of the conditions that never hold of which this does not follow from others: not each rule that gives
// them has another one as a condition. If there are none, it returns all.
func firstCauses(rules []kif.Rule, never []kif.Term) (first []kif.Term) {
	known := map[string]bool{}
	for _, l := range never {
		known[l.String()] = true
	}
	follows := map[string]bool{} // by name of condition; missing if no rule gives it
	for _, r := range rules {
		given := r.Head
		switch {
		case (given.Name == "init" || given.Name == "next") && len(given.Args) == 1:
			given.Name = "true"
		case given.Name == "legal" && len(given.Args) == 2:
			given.Name = "does"
		}
		name := nameOfCondition(given)
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

// nameOfCondition is what the conditions of one relation, or about one kind of facts or moves, have in common.
func nameOfCondition(l kif.Term) string {
	switch {
	case l.Name == "true" && len(l.Args) == 1:
		return "true " + l.Args[0].Name
	case l.Name == "does" && len(l.Args) == 2:
		return "does " + l.Args[1].Name
	}
	return l.Name
}

// lacksStart reports whether a condition asks for a fact of a name of which none is true at the start.
func (d *definitions) lacksStart(l kif.Term) bool {
	return l.Name == "true" && len(l.Args) == 1 && !d.starts.has(l.Args[0]) && !d.starts.any()
}

// checkNever adds a hint about a condition that never holds.
func (d *definitions) checkNever(l kif.Term) {
	name, why := nameOfCondition(l), ""
	switch l.Name {
	case "true":
		why = ": no position has such a fact"
		if d.lacksStart(l) {
			why += fmt.Sprintf(", because there is no (init (%s ...))", l.Args[0].Name)
		}
	case "does":
		why = ": nobody ever has such a move"
	}
	if !d.seen[name] {
		d.seen[name] = true
		d.hints = append(d.hints, Hint{Pos: l.Pos, Text: l.String() + " never holds" + why})
	}
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

func (n names) has(t kif.Term) bool { return slices.Contains(n[t.Name], len(t.Args)) }

// any reports whether a variable is among the names.
func (n names) any() bool { return len(n[""]) > 0 }

// definitions are what a sheet defines.
type definitions struct {
	relations, fluents, moves names
	starts                    names // fluents of init
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
	key := fmt.Sprint(format, t.Name, "/", len(t.Args))
	if defined.any() || t.IsVariable() || defined.has(t) || d.seen[key] {
		return
	}
	d.seen[key] = true
	text := fmt.Sprintf(format, t)
	var others []string
	for name := range defined {
		switch name {
		case "init", "next", "base", "input": // heads only
		default:
			others = append(others, name)
		}
	}
	slices.Sort(others)
	sure := true
	if counts := defined[t.Name]; len(counts) > 0 {
		text += fmt.Sprintf(" (elsewhere %s has %d arguments)", t.Name, counts[0])
	} else if near := env.Nearest(t.Name, others); near != "" {
		text += fmt.Sprintf(" (perhaps %s is meant)", near)
	} else {
		sure = false
	}
	d.hints = append(d.hints, Hint{t.Pos, text, sure})
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
func explain(err error, text string, net *gates.Circuit) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	hints := hintsOf(text, net)
	if len(hints) == 0 {
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
