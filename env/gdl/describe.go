package gdl

import (
	"fmt"
	"strings"
	"unicode"

	"ludus/env"
)

// noDescription is the description of a sheet without comments at its start.
const noDescription = "This rule sheet has no description: comment lines at its start would be shown here."

// describe writes the game's rules, for players, and the findings about its sheet, for authors of sheets.
func (g *game) describe(info *Info) {
	e := g.env
	e.Summary = "a game from a rule sheet"
	description := descriptionOf(e.Sheet)
	if description == "" {
		description = noDescription
	}
	e.Rules = fmt.Sprintf("%s\nThe players are %s and %s; %s moves first. Each gets 0 to 100 points at the end, and more points win.",
		description, e.Players[0], e.Players[1], e.Players[0])
	if g.limit > 0 {
		e.Rules += fmt.Sprintf(" After %d moves the game is a draw.", g.limit)
	}
	g.findings = g.findingsOf(info)
}

// Findings returns what the proofs and random games have shown about a game, in sentences for authors of sheets, a line per
// subject; none if the game has no sheet.
func Findings(e *env.Game) []string {
	if e.Sheet == "" {
		return nil
	}
	return e.NewState().(*state).game.findings
}

// findingsOf returns the sentences of Findings: how games end, goals, the board, and whether the sides are alike.
func (g *game) findingsOf(info *Info) []string {
	e := g.env
	end := "It is not proven that games end: "
	if info.Proven {
		end = "Games are proven to end: "
	}
	goals := "add up to 100."
	switch {
	case g.classes.byWin:
		goals = fmt.Sprintf("differ by more than %d amounts. The higher goal wins; training aims at the win alone.", maxClasses)
	case !g.classes.bySum && len(g.classes.values) <= 3:
		goals = "do not add up to 100. The higher goal wins."
	case !g.classes.bySum:
		goals = "do not add up to 100. The higher goal wins; training aims at the difference."
	}
	board := "No board was found: that takes facts with two coordinates of a cell as arguments of their own, such as (cell 1 2 x)."
	switch {
	case info.Board == "" && info.Large != "":
		board = fmt.Sprintf("The board is too large: %s. At most %d columns and %d rows are drawn and used by the network.", info.Large,
			maxColumns, maxRows)
	case info.Board != "":
		board = fmt.Sprintf("The board is %s. It has %d proven symmetries, the identity included.", info.Board, len(e.Symmetries))
	}
	if g.drawing.left > 0 {
		board += fmt.Sprintf(" %d facts are not drawn, because there are more than %d kinds of pieces.", g.drawing.left, maxKinds)
	}
	sides := "It is not proven that both sides are alike, so the network sees the board alike for both players."
	if info.Frame != "" {
		but := ""
		if info.OwnGoals {
			but = " but for their goals"
		}
		sides = fmt.Sprintf("Both sides are proven to be alike%s: for %s the network sees the board with the sides exchanged, %s.",
			but, e.Players[1], info.Frame)
	}
	return []string{
		g.trial.sentence(),
		end + info.Longest + ". In random games both players had a legal move until the end; without one the game is over, " +
			"with the goals of that position.",
		"Goals " + goals + " In random games each player had exactly one goal at the end; without a goal a player gets 0.",
		board,
		fmt.Sprintf("%s %d facts may be true; %d gates compute the rules.", sides, info.Fluents, info.Gates),
	}
}

// maxDescription is the largest number of characters of a sheet's description.
const maxDescription = 2000

// descriptionOf returns the comments at the start of a sheet, before its first rule, as paragraphs; "" if there are none.
// Lines are joined; an empty line, and one that begins with a dash or a star, begins a paragraph. The result is plain text
// without control characters.
func descriptionOf(sheet string) string {
	var paragraphs []string
	open := false // the next line continues the last paragraph
	for line := range strings.Lines(sheet) {
		line = plain(line)
		comment := strings.TrimLeft(line, ";")
		if line != "" && comment == line {
			break
		}
		comment = strings.TrimSpace(comment)
		if !strings.ContainsFunc(comment, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			open = false // an empty line, or a ruler such as ;;;; or ----
			continue
		}
		if item := strings.HasPrefix(comment, "- ") || strings.HasPrefix(comment, "* "); open && !item {
			paragraphs[len(paragraphs)-1] += " " + comment
		} else {
			paragraphs = append(paragraphs, comment)
		}
		open = true
	}
	text := []rune(strings.Join(paragraphs, "\n"))
	if len(text) > maxDescription {
		return string(text[:maxDescription-1]) + "…"
	}
	return string(text)
}

// plain returns a line without unprintable characters, and with single blanks.
func plain(line string) string {
	printed := func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r) && r != unicode.ReplacementChar:
			return r
		}
		return -1
	}
	return strings.Join(strings.Fields(strings.Map(printed, line)), " ")
}
