package terminal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
)

// textView shows a session to people.
type textView struct {
	*Session
	canvas *canvas
	out    *bytes.Buffer
}

func newTextView(s *Session) *textView {
	return &textView{Session: s, canvas: newCanvas(s.Game, &s.Style), out: &s.output}
}

func (v *textView) showPlayers() {
	players := v.Game.Players
	player, hasPerson := v.person()
	if !hasPerson {
		v.line("%s: %s is %s, %s is %s.\n", v.Game.Name, v.Seats[0].Name, players[0], v.Seats[1].Name, players[1])
		return
	}
	agent := v.Seats[player.Opponent()].Name
	v.line("%s: you are %s, %s is %s.", v.Game.Name, players[player], agent, players[player.Opponent()])
	v.line("Type a move such as %s, or hint, undo, ? (analysis by %s), help.\n", v.moveExamples(),
		v.Seats[player.Opponent()].AdvisorName)
}

func (v *textView) showRules() {
	fmt.Fprintln(v.out, v.Style.Rules(v.Game))
}

func (v *textView) showPosition() {
	var legal []env.Action
	if v.personMoves() {
		legal = v.state.Legal(nil)
	}
	player, hasPerson := v.person()
	v.canvas.turned = hasPerson && player == env.Second && v.Game.Opposite() // the person's side is at the bottom
	v.out.WriteString(v.canvas.draw(v.state, cellMarks(v.Game, v.state, v.lastMoves(), legal)))
	status := v.Game.Status(v.state)
	if len(v.state.WinningCells(nil)) > 0 {
		status += "; * * marks the winning cells"
	}
	v.line("%s\n", status)
}

func (v *textView) prompt() {
	switch {
	case !v.Keyboard:
	case v.state.Done():
		v.out.WriteString("new, switch, undo or quit> ")
	default:
		fmt.Fprintf(v.out, "%s> ", v.Game.Players[v.state.Player()])
	}
}

func (v *textView) showMove(player env.Player, action env.Action, took time.Duration) {
	fmt.Fprintf(v.out, "%s plays %s", v.Game.Players[player], v.Style.bold(v.Game.ActionNames[action]))
	if !v.state.Done() && v.state.Player() == player {
		v.out.WriteString(" and moves again")
	}
	if v.Style.Live && took >= time.Second {
		v.out.WriteString(v.Style.faint(fmt.Sprintf("  after %.1f s", took.Seconds())))
	}
	v.out.WriteString("\n")
	if again := v.state.Player() == player && v.Seats[player].Agent != nil; !again || v.state.Done() {
		v.out.WriteString("\n")
	}
}

func (v *textView) showUndo(plies int) {
	fmt.Fprintf(v.out, "taken back: %s\n\n", counted(plies, "move"))
}

func (v *textView) note(text string) { fmt.Fprintln(v.out, text) }

// listMoves lists the moves with their numbers.
func (v *textView) listMoves(legal []env.Action) {
	if len(legal) == 0 {
		v.note("The game is over; there are no moves.")
		return
	}
	texts := make([]string, len(legal))
	for i, a := range legal {
		texts[i] = fmt.Sprintf("#%d\u00a0%s", i+1, v.Game.ActionNames[a]) // the line does not break at a no-break space
	}
	fmt.Fprintln(v.out, strings.ReplaceAll(v.Style.Wrapped(strings.Join(texts, ", ")), "\u00a0", " "))
}

func (v *textView) showSuggestion(agent string, r *analysis.Result) {
	text := fmt.Sprintf("%s would play %s", agent, r.Best)
	if r.Reason != "" {
		text += ", which " + r.Reason
	}
	v.line("%s", text)
	if r.Value != nil {
		v.line("  %s", v.valueForFirst(r))
	}
}

// valueForFirst formats the value of the position for the first player, whoever is to move.
func (v *textView) valueForFirst(r *analysis.Result) string {
	return fmt.Sprintf("value for %s %s%s", v.Game.Players[0], signed(*v.forFirst(r, r.Value)), proven(r))
}

// forFirst converts a value for the player to move of an analysis into one for the first player; nil stays nil.
func (v *textView) forFirst(r *analysis.Result, value *float64) *float64 {
	if value == nil || r.Player == v.Game.Players[0] {
		return value
	}
	return new(-*value)
}

// line formats a line and writes it, wrapped to the width of the terminal.
func (v *textView) line(format string, arguments ...any) {
	fmt.Fprintln(v.out, v.Style.Wrapped(fmt.Sprintf(format, arguments...)))
}

// proven returns ", proven" if the value is exact.
func proven(r *analysis.Result) string {
	if r.Proven {
		return ", proven"
	}
	return ""
}

// maxMoveInfos is the number of moves that an analysis shows unless all are wanted.
const maxMoveInfos = 6

// showAnalysis shows an agent's move, value, expected points and best moves: all of them, or maxMoveInfos.
func (v *textView) showAnalysis(agent string, r *analysis.Result, all bool) {
	after := ""
	if r.Simulations > 0 {
		after = ", after " + counted(r.Simulations, "simulation")
	}
	v.line("%s would play %s%s", agent, r.Best, after)
	if r.Value == nil {
		v.line("  It does not evaluate positions.\n")
		return
	}
	v.line("  %s, from -1 (lost) to +1 (won)", v.valueForFirst(r))
	if r.Goals != nil && v.Game.GoalHead { // in other games the goals follow from the value
		goals := r.Goals.Values
		v.line("  expected points at the end: %s %.0f, %s %.0f", v.Game.Players[0], goals[0], v.Game.Players[1], goals[1])
	}
	shown := len(r.Moves)
	if !all {
		shown = min(shown, maxMoveInfos)
	}
	v.moveInfos(r, shown)
	v.out.WriteString("\n")
}

// moveInfos lists the best `count` moves, the chosen one first. Each has a bar for its visits, or for its prior if the
// agent counts no visits. Values are for the first player.
func (v *textView) moveInfos(r *analysis.Result, count int) {
	moves, shown := r.Moves, r.Moves[:count]
	visits, priors := 0, 0.0
	for _, m := range moves {
		visits, priors = max(visits, orZero(m.Visits)), max(priors, orZero(m.Prior))
	}
	width := len("move")
	for _, m := range shown {
		width = max(width, len(m.Move))
	}
	const columns, bar = 24, 12 // widths of the numbers and of the longest bar
	fmt.Fprintf(v.out, "  %s  visits  value  prior\n", pad("move", width))
	for i, m := range shown {
		line := fmt.Sprintf("  %s  %6s  %5s  %5s", pad(m.Move, width),
			orDash(m.Visits, "%d", 1), valueOrDash(v.forFirst(r, m.Value)), orDash(m.Prior, "%.0f %%", 100))
		share := orZero(m.Prior) / max(priors, 1e-9)
		if visits > 0 {
			share = float64(orZero(m.Visits)) / float64(visits)
		}
		if v.Style.room() >= 2+width+columns+bar {
			line += "  " + strings.Repeat(v.Style.pick("▇", "#"), int(share*bar+0.5))
		}
		line = strings.TrimRight(line, " ")
		if i == 0 {
			line += "  chosen"
		}
		fmt.Fprintln(v.out, line)
	}
	if more := len(moves) - len(shown); more > 0 {
		fmt.Fprintf(v.out, "  and %d more; \"? all\" lists them\n", more)
	}
}

// orDash formats scale times a number; nil becomes a dash.
func orDash[T int | float64](x *T, format string, scale T) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(format, *x*scale)
}

// signed formats a value with its sign; 0 has none.
func signed(value float64) string {
	text := fmt.Sprintf("%+.2f", value)
	if text == "-0.00" || text == "+0.00" {
		return "0.00"
	}
	return text
}

// valueOrDash formats a value; nil becomes a dash.
func valueOrDash(value *float64) string {
	if value == nil {
		return "-"
	}
	return signed(*value)
}

// orZero returns the number that x points to, or 0 if x is nil.
func orZero[T int | float64](x *T) T {
	if x == nil {
		return 0
	}
	return *x
}

// counted formats a count with its noun: "1 move", "2 moves".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (v *textView) showResult() {
	goals, result := v.state.Goals(), "A draw"
	if winner, ok := v.winner(); ok {
		player, hasPerson := v.person()
		switch {
		case !hasPerson:
			result = fmt.Sprintf("%s, %s, wins", v.Game.Players[winner], v.Seats[winner].Name)
		case player == winner:
			result = "You win"
		default:
			result = "You lose"
		}
	}
	fmt.Fprintf(v.out, "%s: %s %d, %s %d.\n", v.Style.bold(result), v.Game.Players[0], goals[0], v.Game.Players[1], goals[1])
}

func (v *textView) showInputEnd() {
	if v.Keyboard {
		v.out.WriteString("\n")
	}
	if !v.state.Done() {
		v.out.WriteString("The input ended before the game.\n")
	}
}

// showThinking shows on a live terminal that an agent is thinking. stop erases it.
func (v *textView) showThinking(agent string) (stop func()) {
	if !v.Style.Live {
		return func() {}
	}
	text := agent + " is thinking"
	fmt.Fprint(v.w, v.Style.faint(text[:min(len(text), v.Style.room()-1)]))
	return func() { fmt.Fprint(v.w, "\r\x1b[K") }
}

// help returns the help text on moves and commands, with examples of the game's moves.
func (s *Session) help() string {
	return fmt.Sprintf(`Type a move: %s.
A cell is a column letter and a row number; that of a piece lists its moves, or plays its only one.
On the board, [ ] is the last move; %s marks where you can move to or capture. Commands:
  ?           the agent's best moves: how often the search visited each, the value it found, and the
              network's guess before the search (prior); ? all: all moves
  hint        a suggestion: the move that it would play, and why
  undo        take your last move back
  moves       list the legal moves; #2 plays the second
  rules       show the rules again
  board       draw the board again
  switch      change sides
  new         start a new game
  quit        stop`, s.moveForms(), s.Style.pick("•", "+"))
}

// exampleMoves returns one legal move per verb for the person: in the current position, or if it is not the person's turn,
// at the person's first turn of a game.
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
