package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/env"
)

// note is a comment on a ply of the sample game.
type note struct {
	player  int
	move    string
	score   string // the first player's score after the move
	text    string // "" for a move that needs no comment
	weight  int    // weight of its diagram, see below; 0: no diagram
	diagram diagram
}

// Weights of notes: the heaviest notes get a diagram.
const (
	jumpNote = 1 + iota
	mistakeNote
	endNote
)

// jump is the least change of the expected score that is worth a comment.
const jump = 15

// commentator comments on a sample game.
type commentator struct {
	game   *env.Game
	sample []ply
}

// notes returns a note for each ply.
func (c *commentator) notes() (list []note, err error) {
	r := env.NewReplayer(c.game)
	for i := range c.sample {
		p := &c.sample[i]
		a, err := c.game.ParseAction(p.Move)
		if err != nil {
			return nil, err
		}
		n := note{player: int(r.State.Player()), move: p.Move}
		choices := len(r.Legal)
		if err := r.Play(a); err != nil {
			return nil, fmt.Errorf("sample game: %w", err)
		}
		if i+1 < len(c.sample) {
			next := &c.sample[i+1]
			n.score = scoreText(next.Score, next.Exact)
			n.text, n.weight = c.comment(p, next, n.player, choices)
		} else {
			n.score = scoreText(float64(c.game.Classes[r.State.Outcome()].Goal()), true)
			n.text, n.weight = c.ending(r.State), endNote
		}
		n.diagram = diagram{
			pieces: diagrams.Pieces(r.State), player: n.player, last: p.Move, wonBy: r.State.WinningCells(nil),
		}
		list = append(list, n)
	}
	return list, nil
}

func scoreText(score float64, exact bool) string {
	if exact {
		return fmt.Sprintf("**%.0f**", score)
	}
	return fmt.Sprintf("%.0f", score)
}

// comment says what a move does to the expected or exact score, given the position before and after it and the number of
// legal moves.
func (c *commentator) comment(before, after *ply, player, choices int) (text string, weight int) {
	name := c.game.Players[player]
	was, is := of(player, before.Score), of(player, after.Score)
	switch {
	case before.Exact && after.Exact && is < was:
		return fmt.Sprintf("A mistake: %s would have kept %.0f for %s; now %s with perfect play.",
			someOf(before.Keep), was, name, c.result(after.Score)), mistakeNote
	case before.Exact && len(before.Keep) == 1 && choices > 3:
		return "The only move that keeps the value.", 0
	case before.Exact:
		return "", 0
	case after.Exact:
		return fmt.Sprintf("Solved from here: %s with perfect play.", c.result(after.Score)), 0
	case is <= was-jump && len(before.Top) > 0 && before.Top[0].Move != before.Move:
		return fmt.Sprintf("%s's expected score falls from %.0f to %.0f. The analysis prefers %s.",
			capital(name), was, is, before.Top[0].Move), jumpNote
	case math.Abs(is-was) >= jump:
		return fmt.Sprintf("%s's expected score changes from %.0f to %.0f.", capital(name), was, is), jumpNote
	case len(before.Top) > 0 && before.Top[0].Move != before.Move:
		return fmt.Sprintf("The analysis prefers %s.", before.Top[0].Move), 0
	}
	return "", 0
}

// of converts a score of First into player's score.
func of(player int, score float64) float64 {
	if player == 1 {
		return 100 - score
	}
	return score
}

// onlyWins reports whether a game has only wins, draws and losses, so that scores other than these do not occur.
func onlyWins(game *env.Game) bool {
	return !slices.ContainsFunc(game.Classes, func(c env.Class) bool {
		return !c.Impossible && c.Utility != 1 && c.Utility != 0 && c.Utility != -1
	})
}

// scale explains what the scores of a game mean.
func scale(game *env.Game) string {
	if onlyWins(game) {
		return "100 for a win, 50 for a draw, 0 for a loss"
	}
	return "0 to 100 points"
}

// result describes the end of a game by First's score.
func (c *commentator) result(score float64) string {
	winner := 0
	if score < 50 {
		winner, score = 1, 100-score
	}
	switch {
	case score == 50:
		return "the game is a draw"
	case onlyWins(c.game):
		return c.game.Players[winner] + " wins"
	}
	return fmt.Sprintf("%s wins %.0f to %.0f", c.game.Players[winner], score, 100-score)
}

// someOf names up to three of the moves.
func someOf(moves []string) string {
	switch n := len(moves); {
	case n == 0:
		return "another move"
	case n > 3:
		return fmt.Sprintf("%s and %d other moves", moves[0], n-1)
	}
	return joined(moves, "or")
}

// joined joins words to a list: "a, b or c", where last is "or".
func joined(words []string, last string) string {
	n := len(words) - 1
	if n == 0 {
		return words[0]
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// ending describes how the sample game ended.
func (c *commentator) ending(state env.State) string {
	goals := state.Goals()
	if goals[0] == goals[1] {
		return fmt.Sprintf("The game ends %d to %d.", goals[0], goals[1])
	}
	winner := 0
	if goals[1] > goals[0] {
		winner = 1
	}
	text := fmt.Sprintf("%s wins %d to %d", capital(c.game.Players[winner]), goals[winner], goals[1-winner])
	var cells []string
	for _, cell := range state.WinningCells(nil) {
		cells = append(cells, c.game.CellName(cell))
	}
	if len(cells) > 0 {
		text += " with " + joined(cells, "and")
	}
	return text + "."
}

// capital capitalises a text, unless its first word is one letter: the names x and o.
func capital(text string) string {
	if first, _, _ := strings.Cut(text, " "); len(first) < 2 || strings.HasPrefix(first[1:], "'") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
