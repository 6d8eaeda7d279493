package terminal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
	"ludus/train/agent"
)

// showPlayers shows who plays which side and, to a person, how to type moves and commands.
func (s *Session) showPlayers() {
	players := s.Game.Players
	player, hasPerson := s.person()
	if !hasPerson {
		s.line("%s: %s is %s, %s is %s.\n", s.Game.Name, s.Seats[0].Name, players[0], s.Seats[1].Name, players[1])
		return
	}
	opponent := s.Seats[player.Opponent()]
	s.line("%s: you are %s, %s is %s.", s.Game.Name, players[player], opponent.Name, players[player.Opponent()])
	if opponent.Strength != "" {
		s.line("Its strength: %s. Blunders are moves that give value away, in solved positions.", opponent.Strength)
	}
	if best := analysis.BestPlay(s.Game); best != "" && len(s.moves) == 0 {
		offer := ""
		switch best {
		case players[player] + " wins":
			offer = "; type switch to take the harder side"
		case players[player.Opponent()] + " wins":
			offer = "; type switch to play " + players[player.Opponent()]
		}
		s.line("With best play %s%s.", best, offer)
	}
	s.line("Type a move such as %s, or hint, undo, ? (analysis by %s), help.%s\n", s.moveExamples(),
		opponent.AdvisorName, s.canvas.legend())
}

func (s *Session) showRules() {
	fmt.Fprintln(&s.output, s.Style.Rules(s.Game))
}

// showPosition shows the board and its status, with the marks of the last moves and, if a person moves, of legal ones.
func (s *Session) showPosition() {
	var legal []env.Action
	if s.personMoves() {
		legal = s.state.Legal(nil)
	}
	player, hasPerson := s.person()
	s.canvas.turned = hasPerson && player == env.Second && s.Game.Opposite() // the person's side is at the bottom
	s.output.WriteString(s.canvas.draw(s.state, cellMarks(s.Game, s.state, s.lastMoves(), legal)))
	status := s.Game.Status(s.state)
	if len(s.state.WinningCells(nil)) > 0 {
		status += "; * * marks the winning cells"
	}
	s.line("%s\n", status)
}

// prompt shows at a keyboard that a line is awaited.
func (s *Session) prompt() {
	switch {
	case !s.Keyboard:
	case s.over():
		s.output.WriteString("review, new, switch, undo or quit> ")
	default:
		fmt.Fprintf(&s.output, "%s> ", s.Game.Players[s.state.Player()])
	}
}

// showMove shows a move that was just played. A blank line follows, unless it is an agent's that moves again.
func (s *Session) showMove(player env.Player, action env.Action, took time.Duration) {
	fmt.Fprintf(&s.output, "%s plays %s", s.Game.Players[player], s.Style.bold(s.Game.ActionNames[action]))
	if !s.state.Done() && s.state.Player() == player {
		s.output.WriteString(" and moves again")
	}
	if s.Style.Live && took >= time.Second {
		s.output.WriteString(s.Style.faint(fmt.Sprintf("  after %.1f s", took.Seconds())))
	}
	s.output.WriteString("\n")
	if again := s.state.Player() == player && s.Seats[player].Agent != nil; !again || s.state.Done() {
		s.output.WriteString("\n")
	}
}

func (s *Session) note(text string) { fmt.Fprintln(&s.output, text) }

// listMoves lists the moves with their numbers.
func (s *Session) listMoves(legal []env.Action) {
	if len(legal) == 0 {
		s.note("The game is over; there are no moves.")
		return
	}
	texts := make([]string, len(legal))
	for i, a := range legal {
		texts[i] = fmt.Sprintf("#%d\u00a0%s", i+1, s.Game.ActionNames[a]) // the line does not break at a no-break space
	}
	fmt.Fprintln(&s.output, strings.ReplaceAll(s.Style.Wrapped(strings.Join(texts, ", ")), "\u00a0", " "))
}

// showSuggestion shows the agent's move with its reason and the expected score, if there are any.
func (s *Session) showSuggestion(agent string, r *analysis.Result) {
	text := fmt.Sprintf("%s would play %s", agent, r.Best)
	if r.Reason != "" {
		text += ", which " + r.Reason
	}
	s.line("%s", text)
	if r.Value != nil {
		s.line("  %s", s.expectedScore(r))
	}
}

// expectedScore formats the expected score of the first player, whoever is to move.
func (s *Session) expectedScore(r *analysis.Result) string {
	text := fmt.Sprintf("expected score: %s %s", s.Game.Players[0], percent(*s.forFirst(r, r.Value), 0))
	if r.Proven {
		text += ", proven"
	}
	return text
}

// forFirst converts a value for the player to move of an analysis into one for the first player; nil stays nil.
func (s *Session) forFirst(r *analysis.Result, value *float64) *float64 {
	if value == nil || r.Player == s.Game.Players[0] {
		return value
	}
	return new(-*value)
}

// line formats a line and writes it, wrapped to the width of the terminal.
func (s *Session) line(format string, arguments ...any) {
	fmt.Fprintln(&s.output, s.Style.Wrapped(fmt.Sprintf(format, arguments...)))
}

// maxMoveInfos is the number of moves that an analysis shows unless all are wanted.
const maxMoveInfos = 6

// showAnalysis shows an agent's move, expected score and points, and best moves: all of them, or maxMoveInfos.
func (s *Session) showAnalysis(agent string, r *analysis.Result, all bool) {
	after := ""
	if r.Simulations > 0 {
		after = ", after " + Counted(r.Simulations, "simulation")
	}
	s.line("%s would play %s%s", agent, r.Best, after)
	if r.Value == nil {
		s.line("  It does not evaluate positions.\n")
		return
	}
	s.line("  %s", s.expectedScore(r))
	if r.Goals != nil && s.Game.GoalHead { // in other games the goals follow from the value
		first, second := s.Game.Players[0], s.Game.Players[1]
		s.line("  expected points at the end: %s %.0f, %s %.0f", first, r.Goals[first], second, r.Goals[second])
	}
	shown := len(r.Moves)
	if !all {
		shown = min(shown, maxMoveInfos)
	}
	s.moveInfos(r, shown)
	s.output.WriteString("\n")
}

// moveInfos lists the best `count` moves, the chosen one first. Scores are the first player's. A bar shows the score of
// the player to move, or the prior if the agent gives no values.
func (s *Session) moveInfos(r *analysis.Result, count int) {
	moves, shown := r.Moves, r.Moves[:count]
	valued := slices.ContainsFunc(moves, func(m analysis.MoveInfo) bool { return m.Value != nil })
	width := len("move")
	for _, m := range shown {
		width = max(width, uniseg.StringWidth(m.Move))
	}
	score := "score of " + s.Game.Players[0]
	scoreWidth := max(uniseg.StringWidth(score), len("99.9 %"))
	const numbers, bar = 19, 12 // widths: two columns of numbers, with all gaps up to the bar, and the longest bar
	fmt.Fprintf(&s.output, "  %s  visits  %s  prior\n", pad("move", width), score)
	for i, m := range shown {
		value := "-"
		if m.Value != nil {
			value = percent(*s.forFirst(r, m.Value), 1)
		}
		line := fmt.Sprintf("  %s  %6s  %*s  %5s", pad(m.Move, width),
			orDash(m.Visits, "%d", 1), scoreWidth, value, orDash(m.Prior, "%.0f %%", 100))
		share := 0.0
		switch {
		case m.Value != nil:
			share = (1 + *m.Value) / 2
		case !valued && m.Prior != nil:
			share = *m.Prior
		}
		if s.Style.room() >= 2+width+scoreWidth+numbers+bar {
			line += "  " + strings.Repeat(s.Style.pick("▇", "#"), int(share*bar+0.5))
		}
		line = strings.TrimRight(line, " ")
		if i == 0 {
			line += "  chosen"
		}
		fmt.Fprintln(&s.output, line)
	}
	if more := len(moves) - len(shown); more > 0 {
		fmt.Fprintf(&s.output, "  and %d more; \"? all\" lists them\n", more)
	}
}

// orDash formats scale times a number; nil becomes a dash.
func orDash[T int | float64](x *T, format string, scale T) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(format, *x*scale)
}

// percent formats a value from -1 to 1 as an expected score. Only sure results are 0 and 100 %.
func percent(value float64, digits int) string {
	score := 50 * (1 + value)
	if least := math.Pow10(-digits); math.Abs(value) < 1 {
		score = min(max(score, least), 100-least)
	}
	return fmt.Sprintf("%.*f %%", digits, score)
}

// Counted formats a count with its noun: "1 move", "2 moves".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// showResult shows who won, and both goals; if a program ended the game, why. It speaks to the person, if one plays.
func (s *Session) showResult() {
	if s.failure != nil {
		s.showFailure()
		return
	}
	goals, result := s.state.Goals(), "A draw"
	if goals[0] != goals[1] {
		winner := env.First
		if goals[1] > goals[0] {
			winner = env.Second
		}
		player, hasPerson := s.person()
		switch {
		case !hasPerson:
			result = fmt.Sprintf("%s, %s, wins", s.Game.Players[winner], s.Seats[winner].Name)
		case player == winner:
			result = "You win"
		default:
			result = "You lose"
		}
	}
	fmt.Fprintf(&s.output, "%s: %s %d, %s %d.\n", s.Style.bold(result), s.Game.Players[0], goals[0], s.Game.Players[1],
		goals[1])
}

// showFailure shows how the program to move ended the game.
func (s *Session) showFailure() {
	player, result := s.state.Player(), "You win"
	if _, hasPerson := s.person(); !hasPerson {
		result = s.Game.Players[player.Opponent()] + " wins"
	}
	why := "cannot go on: " + s.failure.Error()
	var fault *agent.Fault
	switch {
	case !errors.As(s.failure, &fault):
	case fault.Void():
		result = "The game does not count"
	case fault.Kind == agent.Resigned:
		why = "resigns"
	}
	s.line("%s (%s) %s. %s.", s.Game.Players[player], s.Seats[player].Name, strings.TrimSuffix(why, "."), s.Style.bold(result))
}

// showInputEnd shows that the input ended, unless the game did so before.
func (s *Session) showInputEnd() {
	if s.Keyboard {
		s.output.WriteString("\n")
	}
	if !s.over() {
		s.output.WriteString("The input ended before the game.\n")
	}
}

// showThinking shows on a live terminal that an agent is thinking. stop erases it.
func (s *Session) showThinking(agent string) (stop func()) {
	if !s.Style.Live {
		return func() {}
	}
	text := []rune(agent + " is thinking")
	fmt.Fprint(s.w, s.Style.faint(string(text[:min(len(text), s.Style.room()-1)])))
	return func() { fmt.Fprint(s.w, "\r\x1b[K") }
}

// showHelp shows how to type moves, with examples of the game's moves, and the commands.
func (s *Session) showHelp() {
	s.line("Type a move: %s.", s.moveForms())
	s.line("A cell is a column letter and a row number; that of a piece lists its moves, or plays its only one.")
	s.line("On the board, [ ] is the last move; %s marks where you can move to or capture.%s", s.Style.pick("•", "+"),
		s.canvas.legend())
	s.note(`Commands:
  ?           the agent's best moves: how often the search visited each, the
              expected score it found, and the network's guess before the
              search (prior); ? all: all moves
  hint        a suggestion: the move that it would play, and why
  undo        take your last move back
  moves       list the legal moves; #2 plays the second
  rules       show the rules again
  board       draw the board again
  review      the moves that gave value away, and the expected score along
              the game
  switch      change sides
  new         start a new game
  quit        stop
If a move has the name of a command, write /undo for the command.`)
}

// exampleMoves returns one legal move per verb for the person: in the current position, or if it is not the person's
// turn, at the person's first turn of a game.
func (s *Session) exampleMoves() (list []env.Action) {
	state := s.state
	if !s.personMoves() {
		player, _ := s.person()
		for state = s.Game.NewState(); state.Player() != player; {
			state.Apply(state.Legal(nil)[0])
		}
	}
	var verbs []string
	for _, a := range state.Legal(nil) {
		if verb := s.Game.Verb(a); !slices.Contains(verbs, verb) {
			verbs, list = append(verbs, verb), append(list, a)
		}
	}
	return list
}

// moveExamples joins the names of the example moves: "b1 or block b1".
func (s *Session) moveExamples() string {
	text := strings.Join(s.Game.Names(s.exampleMoves()), " or ")
	if s.parser.Drops {
		return text + ", or just the column's letter"
	}
	return text
}

// moveForms lists the names and the official texts of the example moves.
func (s *Session) moveForms() string {
	var all []string
	for _, a := range s.exampleMoves() {
		all = append(all, fmt.Sprintf("%s or %s", s.Game.ActionNames[a], s.Game.ActionTexts[a]))
	}
	return strings.Join(all, "; ")
}
