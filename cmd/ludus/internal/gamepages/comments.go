package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
)

// note is a comment on a ply of the sample game.
type note struct {
	ply     int // counted from 1
	player  int
	move    string
	score   string // of the position after the move
	text    string
	weight  int // of its diagram; 0: none
	diagram diagram
}

// Weights of diagrams: the heaviest notes get one.
const (
	endNote = 4 - iota
	decisiveNote
	mistakeNote
	jumpNote
)

// jump is a change of the expected score that is worth a comment.
const jump = 15

// commentator comments on the sample game of a study.
type commentator struct {
	game  *env.Game
	study *study
}

// notes returns the comments of all plies that need one, and the final position.
func (c *commentator) notes() (list []note, end env.State, err error) {
	state := c.game.NewState()
	var threatened []env.Action // moves with which the player who is not to move threatened to win
	for i := range c.study.Sample {
		p := &c.study.Sample[i]
		a, err := c.game.ParseAction(p.Move)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(state.Legal(nil), a) {
			return nil, nil, fmt.Errorf("ply %d of the sample game: %s is not legal", i+1, p.Move)
		}
		n := note{ply: i + 1, player: int(state.Player()), move: p.Move}
		before := c.game.NewState()
		before.CopyFrom(state)
		state.Apply(a)
		texts := c.judge(&n, i, before)
		var now []env.Action
		if state.Done() {
			texts, n.weight = append(texts, c.ending(state)), endNote
		} else if state.Player() != before.Player() {
			var text string
			now, text = c.attack(&n, state, threatened)
			texts = append(texts, text)
		}
		threatened = now
		n.text = strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " ")
		n.score = c.scoreAfter(i, state)
		n.diagram = diagram{pieces: board.Pieces(state), player: n.player, last: p.Move, wonBy: state.WinningCells(nil)}
		if n.text != "" {
			list = append(list, n)
		}
	}
	return list, state, nil
}

// of returns a score of First as that of a player.
func of(player int, score float64) float64 {
	if player == 1 {
		return 100 - score
	}
	return score
}

// after returns the score of First after ply i, and whether it is exact.
func (c *commentator) after(i int, state env.State) (score float64, exact bool) {
	if i+1 < len(c.study.Sample) {
		next := &c.study.Sample[i+1]
		return next.Score, next.Exact
	}
	return float64(c.game.Classes[state.Outcome()].Goal()), true
}

func (c *commentator) scoreAfter(i int, state env.State) string {
	score, exact := c.after(i, state)
	if exact {
		return fmt.Sprintf("**%.0f**", score)
	}
	return fmt.Sprintf("%.0f", score)
}

// judge says what a move does to the score. before is the position before ply i.
func (c *commentator) judge(n *note, i int, before env.State) (texts []string) {
	p := &c.study.Sample[i]
	name := c.game.Players[n.player]
	if i+1 == len(c.study.Sample) {
		return nil
	}
	score, exact := c.after(i, nil)
	was, is := of(n.player, p.Score), of(n.player, score)
	switch {
	case p.Exact && exact && is < was:
		n.weight = mistakeNote
		return []string{fmt.Sprintf("A mistake: %s would have kept %.0f points for %s; now perfect play gives %.0f.", someOf(p.Keep), was, name, is)}
	case p.Exact && len(p.Keep) == 1 && len(before.Legal(nil)) > 3:
		texts = append(texts, "The only move that keeps the value.")
	case !p.Exact && exact:
		texts = append(texts, fmt.Sprintf("Solved from here: with perfect play %s gets %.0f points and %s %.0f.",
			c.game.Players[0], score, c.game.Players[1], 100-score))
	}
	if !p.Exact && math.Abs(is-was) >= jump {
		n.weight = max(n.weight, jumpNote)
		rises := "rises"
		if is < was {
			rises = "falls"
		}
		text := fmt.Sprintf("%s's expected score %s from %.0f to %.0f.", capital(name), rises, was, is)
		if is < was && p.Top[0].Move != p.Move {
			text += fmt.Sprintf(" The analysis prefers %s.", p.Top[0].Move)
		}
		texts = append(texts, text)
	}
	return texts
}

// someOf names up to three moves.
func someOf(moves []string) string {
	switch {
	case len(moves) == 0:
		return "another move"
	case len(moves) > 3:
		return fmt.Sprintf("%s and %d other moves", moves[0], len(moves)-1)
	}
	return joined(moves, "or")
}

// joined lists words.
func joined(words []string, last string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// ending says how the game ended.
func (c *commentator) ending(state env.State) string {
	goals, names := state.Goals(), c.game.Players
	if goals[0] == goals[1] {
		return fmt.Sprintf("The game ends %d to %d.", goals[0], goals[1])
	}
	winner := 0
	if goals[1] > goals[0] {
		winner = 1
	}
	text := fmt.Sprintf("%s wins %d to %d", capital(names[winner]), goals[winner], goals[1-winner])
	var cells []string
	for _, cell := range state.WinningCells(nil) {
		cells = append(cells, c.game.CellName(cell))
	}
	if len(cells) > 0 {
		text += " with " + joined(cells, "and")
	}
	return text + "."
}

// attack says what the player who has just moved threatens, and which threats the move stops. It returns the threats:
// moves with which that player could win after most replies.
func (c *commentator) attack(n *note, state env.State, stopped []env.Action) (threats []env.Action, text string) {
	me := state.Player().Opponent()
	replies, child, saves := state.Legal(nil), c.game.NewState(), []env.Action{}
	counts := make(map[env.Action]int)
	for _, r := range replies {
		child.CopyFrom(state)
		child.Apply(r)
		wins := 0
		if !child.Done() && child.Player() == me {
			for _, t := range child.TerminalActions(nil) {
				if c.game.UtilityFor(me, t.Outcome) == 1 {
					counts[t.Action]++
					wins++
				}
			}
		}
		if wins == 0 {
			saves = append(saves, r)
		}
	}
	for a := range env.Action(c.game.NumActions()) {
		if 2*counts[a] > len(replies) {
			threats = append(threats, a)
		}
	}
	name, other := c.game.Players[me], c.game.Players[me.Opponent()]
	switch {
	case len(saves) == 0 && len(threats) > 1:
		n.weight = max(n.weight, decisiveNote)
		return threats, fmt.Sprintf("%s threats at once: %s. %s cannot stop all.", number(len(threats)), joined(c.game.Names(threats), "and"), capital(other))
	case len(saves) == 0:
		n.weight = max(n.weight, decisiveNote)
		return threats, fmt.Sprintf("Whatever %s plays, %s wins with the next move.", other, name)
	case len(threats) > 0 && len(saves) == 1:
		return threats, fmt.Sprintf("Threatens %s; only %s stops it.", someOf(c.game.Names(threats)), c.game.ActionNames[saves[0]])
	case len(threats) > 0:
		return threats, fmt.Sprintf("Threatens %s.", someOf(c.game.Names(threats)))
	case len(stopped) > 0 && !c.canWin(state):
		return nil, fmt.Sprintf("Stops %s.", someOf(c.game.Names(stopped)))
	}
	return nil, ""
}

// number writes a small number as a word.
func number(n int) string {
	if words := []string{"No", "One", "Two", "Three", "Four"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// canWin reports whether the player to move can win at once.
func (c *commentator) canWin(state env.State) bool {
	return slices.ContainsFunc(state.TerminalActions(nil), func(t env.TerminalAction) bool {
		return c.game.UtilityFor(state.Player(), t.Outcome) == 1
	})
}

// capital returns a text with a capital first letter, unless its first word is one letter: the names x and o.
func capital(text string) string {
	if first, _, _ := strings.Cut(text, " "); len(first) < 2 || strings.HasPrefix(first[1:], "'") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
