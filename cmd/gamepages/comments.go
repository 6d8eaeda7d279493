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
	ply    int // counted from 1
	player int
	move   string
	score  string // of the position after the move
	text   string
	weight int // of its diagram; 0: none

	hopeless bool // no move could stop what the other player threatened
	diagram  diagram
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

// quietPlies is the number of plies after which a comment says how the game stands.
const quietPlies = 6

// Differences of expected scores: less than equalScores is about equal, at least clearLead a clear lead.
const (
	equalScores = 6
	clearLead   = 25
)

// commentator comments on the sample game of a study.
type commentator struct {
	game  *env.Game
	study *study
}

// notes returns the comments of all plies that need one, and the final position.
func (c *commentator) notes() (list []note, end env.State, err error) {
	state := c.game.NewState()
	var threatened []env.Action // moves with which the player who is not to move threatened to win
	hopeless := false           // nothing stops them
	commented := 0              // the last ply with a comment
	for i := range c.study.Sample {
		p := &c.study.Sample[i]
		a, err := c.game.ParseAction(p.Move)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(state.Legal(nil), a) {
			return nil, nil, fmt.Errorf("ply %d of the sample game: %s is not legal", i+1, p.Move)
		}
		n := note{ply: i + 1, player: int(state.Player()), move: p.Move, hopeless: hopeless}
		before := c.game.NewState()
		before.CopyFrom(state)
		state.Apply(a)
		texts := c.effect(&n, i, before)
		if goals := state.Goals(); goals != before.Goals() && !state.Done() {
			names := c.game.Players
			texts = append([]string{fmt.Sprintf("Points: %s %d, %s %d.", names[0], goals[0], names[1], goals[1])}, texts...)
		}
		var now []env.Action
		if state.Done() {
			texts, n.weight = append(texts, c.ending(state)), endNote
		} else if state.Player() != before.Player() {
			var text string
			now, text = c.attack(&n, state, threatened)
			texts = append(texts, text)
		}
		threatened, hopeless = now, n.weight == decisiveNote
		n.text = strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " ")
		if n.text == "" && n.ply >= commented+quietPlies {
			n.text = c.standing(&n, i, state)
		}
		n.score = c.scoreAfter(i, state)
		n.diagram = diagram{pieces: diagrams.Pieces(state), player: n.player, last: p.Move, wonBy: state.WinningCells(nil)}
		if n.text != "" {
			commented = n.ply
			list = append(list, n)
		}
	}
	return list, state, nil
}

// standing says how the game stands after ply i, and what else its player could have done; "" if that is known exactly.
func (c *commentator) standing(n *note, i int, after env.State) string {
	p := &c.study.Sample[i]
	score, exact := c.after(i, after)
	if exact || p.Exact {
		return ""
	}
	leader := 0
	if score < 50 {
		leader = 1
	}
	text := capital(c.game.Players[leader]) + " is ahead."
	switch lead := of(leader, score) - 50; {
	case lead < equalScores:
		text = "About even."
	case lead >= clearLead:
		text = capital(c.game.Players[leader]) + " is clearly ahead."
	}
	played := slices.IndexFunc(p.Top, func(t topMove) bool { return t.Move == p.Move })
	other := slices.IndexFunc(p.Top, func(t topMove) bool { return t.Move != p.Move })
	if played < 0 || other < 0 {
		return text
	}
	next := &p.Top[other]
	switch better := of(n.player, next.Score) - of(n.player, p.Top[played].Score); {
	case better >= equalScores:
		return text + fmt.Sprintf(" The analysis likes %s more.", next.Move)
	case better > -equalScores:
		return text + fmt.Sprintf(" About as good: %s.", next.Move)
	}
	return text + fmt.Sprintf(" The analysis sees nothing as good: %s would leave %s %.0f.", next.Move, c.game.Players[n.player], of(n.player, next.Score))
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

// effect says what the move of ply i does to the score. before is the position before it.
func (c *commentator) effect(n *note, i int, before env.State) (texts []string) {
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
		return []string{fmt.Sprintf("A mistake: %s would have kept %s; now %s with perfect play.", someOf(p.Keep),
			c.kept(name, was), c.result(score))}
	case p.Exact && len(p.Keep) == 1 && len(before.Legal(nil)) > 3:
		texts = append(texts, "The only move that keeps the value.")
	case !p.Exact && exact:
		texts = append(texts, fmt.Sprintf("Solved from here: %s with perfect play.", c.result(score)))
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

// onlyWins reports whether a game has wins, draws and losses only, so that points do not matter for the score.
func onlyWins(game *env.Game) bool {
	return !slices.ContainsFunc(game.Classes, func(c env.Class) bool {
		return !c.Impossible && c.Utility != 1 && c.Utility != 0 && c.Utility != -1
	})
}

// scale explains the scores of a game.
func scale(game *env.Game) string {
	draws := slices.ContainsFunc(game.Classes, func(c env.Class) bool { return !c.Impossible && c.Utility == 0 })
	switch {
	case !onlyWins(game):
		return "0 to 100 points"
	case draws:
		return "100 for a win, 50 for a draw, 0 for a loss"
	}
	return "100 for a win, 0 for a loss"
}

// result says how a game ends in which First has the given score.
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

// kept says what a player with the given score loses by a mistake.
func (c *commentator) kept(name string, score float64) string {
	switch {
	case score == 50:
		return "a draw"
	case onlyWins(c.game):
		return name + "'s win"
	}
	return fmt.Sprintf("%.0f points for %s", score, name)
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
	switch {
	case len(cells) == 1:
		text += " by reaching " + cells[0]
	case len(cells) > 1:
		text += " with " + joined(cells, "and")
	}
	return text + "."
}

// attack says what the player who has just moved threatens, and which threats the move stops. It returns the threats.
func (c *commentator) attack(n *note, state env.State, stopped []env.Action) (threats []env.Action, text string) {
	me := state.Player().Opponent()
	threats, saves := c.threats(state, me)
	name, other := c.game.Players[me], c.game.Players[me.Opponent()]
	wins := c.wins(state)
	switch {
	case len(wins) > 0 && len(stopped) > 0 && n.hopeless:
		return threats, ""
	case len(wins) > 0 && len(stopped) > 0:
		n.weight = max(n.weight, mistakeNote)
		return threats, fmt.Sprintf("Does not stop %s.", someOf(c.game.Names(wins)))
	case len(saves) == 0 && len(threats) > 1:
		n.weight = max(n.weight, decisiveNote)
		all := "all"
		if len(threats) == 2 {
			all = "both"
		}
		return threats, fmt.Sprintf("%s threats at once: %s. %s cannot stop %s.", number(len(threats)),
			joined(c.game.Names(threats), "and"), capital(other), all)
	case len(saves) == 0:
		n.weight = max(n.weight, decisiveNote)
		return threats, fmt.Sprintf("Whatever %s plays, %s wins with the next move.", other, name)
	case len(threats) > 0 && len(saves) <= 2:
		return threats, fmt.Sprintf("Threatens %s; only %s %s.", joined(c.game.Names(threats), "and"),
			joined(c.game.Names(saves), "or"), c.stops(state, threats, saves))
	case len(threats) > 0:
		return threats, fmt.Sprintf("Threatens %s.", joined(c.game.Names(threats), "and"))
	case len(stopped) > 0:
		return nil, fmt.Sprintf("Stops %s.", someOf(c.game.Names(stopped)))
	}
	return nil, ""
}

// stops says how each of the replies saves the player to move from the threats. After some replies this player moves again.
func (c *commentator) stops(state env.State, threats, saves []env.Action) string {
	child, again := c.game.NewState(), 0
	for _, r := range saves {
		child.CopyFrom(state)
		if child.Apply(r); !child.Done() && child.Player() == state.Player() {
			again++
		}
	}
	name := c.game.Players[state.Player()]
	switch {
	case len(threats) == 1:
		return "stops it"
	case again < len(saves):
		return "helps"
	case len(threats) == 2:
		return "helps: " + name + " then moves again and stops the other"
	}
	return "helps: " + name + " then moves again and stops the others"
}

// threats returns the moves with which me, who is not to move, could win after most replies, and the replies that save the
// other player from that. A reply after which the same player moves again saves it if a further one does; of these it only
// looks at those on cells that win.
func (c *commentator) threats(state env.State, me env.Player) (threats, saves []env.Action) {
	replies, child := state.Legal(nil), c.game.NewState()
	counts, passing := make(map[env.Action]int), 0
	cells := make(map[int32]bool) // where me could win
	var again []env.Action
	for _, r := range replies {
		child.CopyFrom(state)
		child.Apply(r)
		switch {
		case child.Done():
			saves = append(saves, r)
			continue
		case child.Player() != me:
			again = append(again, r)
			continue
		}
		passing++
		wins := c.wins(child)
		for _, a := range wins {
			counts[a]++
			cells[c.game.Drawing.ActionCells[a].To] = true
		}
		if len(wins) == 0 {
			saves = append(saves, r)
		}
	}
	for a := range env.Action(c.game.NumActions()) {
		if 2*counts[a] > passing {
			threats = append(threats, a)
		}
	}
	for _, r := range again {
		child.CopyFrom(state)
		child.Apply(r)
		if !cells[c.game.Drawing.ActionCells[r].To] {
			continue
		}
		if _, further := c.threats(child, me); len(further) > 0 {
			saves = append(saves, r)
		}
	}
	return threats, saves
}

// wins returns the moves that win at once.
func (c *commentator) wins(state env.State) (list []env.Action) {
	for _, t := range state.TerminalActions(nil) {
		if c.game.UtilityFor(state.Player(), t.Outcome) == 1 {
			list = append(list, t.Action)
		}
	}
	return list
}

// number writes a small number as a word.
func number(n int) string {
	if words := []string{"No", "One", "Two", "Three", "Four"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// capital returns a text with a capital first letter, unless its first word is one letter: the names x and o.
func capital(text string) string {
	if first, _, _ := strings.Cut(text, " "); len(first) < 2 || strings.HasPrefix(first[1:], "'") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
