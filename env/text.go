package env

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrAction is wrapped by errors about the text of an action.
var ErrAction = errors.New("unknown move")

// nameActions sets ActionNames, index and folded. The name of an action is that of its cells: "b3" for a placed piece,
// "b2-b3" for a step. If an action before it has that name, its verb stands before it: "block b3". An action without
// cells is named by its official text without brackets, but the Game Description Language's "noop" is a "pass". Where
// all this fails, the official text is the name. Names keep the case of official texts.
func (g *Game) nameActions() {
	g.ActionNames = make([]string, len(g.ActionTexts))
	g.index = make(map[string]Action, 3*len(g.ActionTexts))
	g.folded = map[string]Action{}
	// Without brackets two texts may be the same: (f (a b)) and (f a b).
	for _, form := range []func(string) string{strings.TrimSpace, bare} {
		for a, text := range g.ActionTexts {
			if _, taken := g.index[form(text)]; text != "" && !taken {
				g.index[form(text)] = Action(a)
			}
		}
	}
	for a, text := range g.ActionTexts {
		if text == "" {
			continue
		}
		names := []string{g.plainName(a), bare(text), text}
		if names[0] != names[1] {
			names = slices.Insert(names, 1, g.Verb(Action(a))+" "+names[0])
		}
		for _, name := range names {
			if other, taken := g.index[name]; !taken || other == Action(a) {
				g.ActionNames[a], g.index[name] = name, Action(a)
				break
			}
		}
	}
	for a, text := range g.ActionTexts {
		if text != "" {
			for _, form := range []string{text, bare(text), g.ActionNames[a]} {
				g.addFolded(fold(form), Action(a))
			}
		}
	}
}

// addFolded lets a text in lower case stand for an action, or for none if it already stands for one whose text differs
// in case.
func (g *Game) addFolded(key string, a Action) {
	other, taken := g.folded[key]
	if !taken {
		other, taken = g.index[key]
	}
	switch {
	case !taken:
		g.folded[key] = a
	case other != a && (other == ambiguous || bare(g.ActionTexts[other]) != bare(g.ActionTexts[a])):
		g.folded[key] = ambiguous
	}
}

// ambiguous stands in Game.folded for several actions.
const ambiguous = Action(-1)

// plainName returns the name of an action without its verb, if it has cells.
func (g *Game) plainName(a int) string {
	cells, text := NoCells, bare(g.ActionTexts[a])
	if a < len(g.Drawing.ActionCells) {
		cells = g.Drawing.ActionCells[a]
	}
	switch {
	case cells.From != NoCell:
		return g.CellName(cells.From) + "-" + g.CellName(cells.To)
	case cells.To != NoCell:
		return g.CellName(cells.To)
	case text == "noop":
		return "pass"
	}
	return text
}

// Verb returns the first word of an action's official text, such as "mark"; "" if no position allows the action.
func (g *Game) Verb(a Action) string {
	verb, _, _ := strings.Cut(bare(g.ActionTexts[a]), " ")
	return verb
}

// fold returns a text in lower case, without repeated blanks.
func fold(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// bare returns a text without brackets and repeated blanks.
func bare(text string) string { return strings.Join(strings.Fields(brackets.Replace(text)), " ") }

var brackets = strings.NewReplacer("(", " ", ")", " ")

// ParseAction returns the action that has the given text in ActionTexts or ActionNames. It ignores repeated blanks and,
// unless they tell two actions apart, case and brackets. Errors wrap [ErrAction].
func (g *Game) ParseAction(text string) (Action, error) {
	for _, key := range []string{strings.TrimSpace(text), bare(text)} {
		if a, ok := g.index[key]; ok {
			return a, nil
		}
	}
	for _, key := range []string{fold(text), fold(bare(text))} {
		a, ok := g.folded[key]
		if !ok {
			a, ok = g.index[key]
		}
		if ok && a == ambiguous {
			return 0, fmt.Errorf("%w %s of %s: upper and lower case tell its moves apart", ErrAction, Quote(text), g.Name)
		}
		if ok {
			return a, nil
		}
	}
	example := slices.IndexFunc(g.ActionTexts, func(text string) bool { return text != "" })
	return 0, fmt.Errorf("%w %s of %s; a move reads like %s, or in full %s",
		ErrAction, Quote(text), g.Name, g.ActionNames[example], g.ActionTexts[example])
}

// Texts returns the official texts of actions, for files. The result is never nil.
func (g *Game) Texts(actions []Action) []string { return pick(g.ActionTexts, actions) }

// Names returns the names of actions, for people. The result is never nil.
func (g *Game) Names(actions []Action) []string { return pick(g.ActionNames, actions) }

// pick returns the entry of each action.
func pick(entries []string, actions []Action) []string {
	list := make([]string, len(actions))
	for i, a := range actions {
		list[i] = entries[a]
	}
	return list
}

// SkipByteOrderMark returns the data of a file or stream in UTF-8 without the byte order mark with which some programs
// begin it.
func SkipByteOrderMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// Quote quotes a text from outside for an error message and cuts it after 60 bytes.
func Quote(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}
