package terminal

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
)

// textView tells people.
type textView struct {
	*Session
	canvas *canvas
	out    *bytes.Buffer
}

func newTextView(s *Session) *textView { return &textView{s, newCanvas(s.Game, &s.Style), &s.written} }

func (v *textView) begin() {
	players := v.Game.Players
	player, hasPerson := v.person()
	if !hasPerson {
		v.say("%s: %s is %s, %s is %s.\n", v.Game.Name, v.Seats[0].Name, players[0], v.Seats[1].Name, players[1])
		return
	}
	agent := v.Seats[player.Opponent()].Name
	v.say("%s: you are %s, %s is %s.", v.Game.Name, players[player], agent, players[player.Opponent()])
	v.say("Type a move such as %s, or hint, undo, ? (what %s thinks), help.\n", v.such(), agent)
}

func (v *textView) position() {
	var legal []env.Action
	if v.personMoves() {
		legal = v.state.Legal(nil)
	}
	v.out.WriteString(v.canvas.draw(v.state, cells(v.Game, v.state, v.last(), legal)))
	status := v.state.Status()
	if len(v.state.WinningCells(nil)) > 0 {
		status += "; * * is what won"
	}
	v.say("%s\n", status)
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

func (v *textView) moved(player env.Player, action env.Action, took time.Duration) {
	fmt.Fprintf(v.out, "%s plays %s", v.Game.Players[player], v.Style.bold(v.Game.ActionTexts[action]))
	if v.Style.Live && took >= time.Second {
		v.out.WriteString(v.Style.faint(fmt.Sprintf("  after %.1f s", took.Seconds())))
	}
	v.out.WriteString("\n")
	if again := v.state.Player() == player && v.Seats[player].Agent != nil; !again || v.state.Done() {
		v.out.WriteString("\n")
	}
}

func (v *textView) undone(plies int) {
	fmt.Fprintf(v.out, "taken back: %s\n\n", counted(plies, "move"))
}

func (v *textView) note(text string)          { fmt.Fprintln(v.out, text) }
func (v *textView) problem(line, text string) { v.say("%s", text) }

// list writes the moves in columns as high as is needed for a line's room, and where that is not known, one a line.
func (v *textView) list(legal []env.Action) {
	if len(legal) == 0 {
		v.note("The game is over; there are no moves.")
		return
	}
	texts := make([]string, len(legal))
	for i, a := range legal {
		texts[i] = fmt.Sprintf("%5s  %s", "#"+strconv.Itoa(i+1), v.Game.ActionTexts[a])
	}
	columns, width := 1, longest(texts)+1
	if v.Style.Width != nil {
		columns = max(v.Style.room()/width, 1)
	}
	rows := (len(texts) + columns - 1) / columns
	for r := range rows {
		line := ""
		for i := r; i < len(texts); i += rows {
			line += pad(texts[i], width)
		}
		fmt.Fprintln(v.out, strings.TrimRight(line, " "))
	}
}

func (v *textView) hint(name string, j *analysis.Judgement) {
	v.say("%s would play %s", name, v.named(j.Best))
	if j.Value != nil {
		v.say("  value for %s %+.2f%s", j.Player, *j.Value, proven(j))
	}
}

// named names a move, and how it may be typed.
func (v *textView) named(text string) string {
	action, err := v.Game.ParseAction(text)
	if err != nil {
		return text
	}
	return v.grammar.one(action)
}

// say writes a line, broken where it is too long.
func (v *textView) say(format string, arguments ...any) {
	fmt.Fprintln(v.out, v.Style.wrapped(fmt.Sprintf(format, arguments...)))
}

func proven(j *analysis.Judgement) string {
	if j.Proven {
		return ", proven"
	}
	return ""
}

// mostThoughts is the number of moves in what an agent thinks.
const mostThoughts = 6

func (v *textView) thoughts(name string, j *analysis.Judgement) {
	after := ""
	if j.Simulations > 0 {
		after = ", after " + counted(j.Simulations, "simulation")
	}
	v.say("%s would play %s%s", name, v.named(j.Best), after)
	if j.Value == nil {
		v.say("  It does not say what positions are worth.\n")
		return
	}
	v.say("  value for %s %+.2f%s, from -1 (lost) to +1 (won)", j.Player, *j.Value, proven(j))
	if j.Goals != nil {
		goals := j.Goals.Values()
		v.say("  goals expected %s %.0f, %s %.0f", v.Game.Players[0], goals[0], v.Game.Players[1], goals[1])
	}
	v.table(j.Moves)
	v.out.WriteString("\n")
}

// table lists the best moves, with a bar for the visits, or for the prior where none are counted: the longest is the most.
func (v *textView) table(moves []analysis.Move) {
	shown := moves[:min(len(moves), mostThoughts)]
	visits, priors := 0, 0.0
	for _, m := range moves {
		visits, priors = max(visits, orZero(m.Visits)), max(priors, orZero(m.Prior))
	}
	width := len("move")
	for _, m := range shown {
		width = max(width, len(m.Move))
	}
	const columns, bar = 24, 12 // of what follows the move
	fmt.Fprintf(v.out, "  %s  visits  value  prior\n", pad("move", width))
	for _, m := range shown {
		line := fmt.Sprintf("  %s  %6s  %5s  %5s", pad(m.Move, width),
			known(m.Visits, "%d", 1), known(m.Value, "%+.2f", 1), known(m.Prior, "%.0f %%", 100))
		share := orZero(m.Prior) / max(priors, 1e-9)
		if visits > 0 {
			share = float64(orZero(m.Visits)) / float64(visits)
		}
		if v.Style.room() >= 2+width+columns+bar {
			line += "  " + strings.Repeat(v.Style.pick("▇", "#"), int(share*bar+0.5))
		}
		fmt.Fprintln(v.out, strings.TrimRight(line, " "))
	}
	if more := len(moves) - len(shown); more > 0 {
		fmt.Fprintf(v.out, "  and %d more\n", more)
	}
}

// known writes a number times scale, or a dash for none.
func known[T int | float64](x *T, format string, scale T) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(format, *x*scale)
}

func orZero[T int | float64](x *T) T {
	if x == nil {
		return 0
	}
	return *x
}

// counted is a number of things: 1 move, 2 moves.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (v *textView) finished() {
	goals, verdict := v.state.Goals(), "A draw"
	if winner, ok := v.winner(); ok {
		player, hasPerson := v.person()
		switch {
		case !hasPerson:
			verdict = fmt.Sprintf("%s, %s, wins", v.Game.Players[winner], v.Seats[winner].Name)
		case player == winner:
			verdict = "You win"
		default:
			verdict = "You lose"
		}
	}
	fmt.Fprintf(v.out, "%s: %s %d, %s %d.\n", v.Style.bold(verdict), v.Game.Players[0], goals[0], v.Game.Players[1], goals[1])
}

func (v *textView) ended() {
	if v.Keyboard {
		v.out.WriteString("\n")
	}
	if !v.state.Done() {
		v.out.WriteString("The input has ended before the game.\n")
	}
}

// patience is how long an agent may think before that is told.
const patience = 300 * time.Millisecond

// wait tells on a live terminal that an agent thinks, and erases it when stopped.
func (v *textView) wait(name string) (stop func()) {
	if !v.Style.Live {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		start, pause := time.Now(), patience
		for {
			select {
			case <-done:
				if pause != patience {
					fmt.Fprint(v.w, "\r\x1b[K")
				}
				return
			case <-time.After(pause):
				pause = time.Second
				text := fmt.Sprintf("%s is thinking, %.0f s", name, time.Since(start).Seconds())
				fmt.Fprintf(v.w, "\r\x1b[K%s", v.Style.faint(text[:min(len(text), v.Style.room()-1)]))
			}
		}
	}()
	return func() { close(done); <-gone }
}

// help says what can be typed, with examples of this game's moves.
func (s *Session) help() string {
	return fmt.Sprintf(`Type a move: %s.
On the board, [ ] is the last move%s. There are also
  ?           what the agent thinks: values, visits, its best moves
  hint        the move that it would play
  undo        take your last move back; undo 3 takes three back
  moves       list the legal moves; #2 plays the second
  board       draw the board again
  switch      change sides; or side %s, side %s
  new         begin again
  quit        stop`, s.ways(), s.plusSaid(), s.Game.Players[0], s.Game.Players[1])
}

// samples are moves of the person's, one for each word that moves begin with: legal ones where it is their turn.
func (s *Session) samples() (list []env.Action) {
	state := s.state
	if !s.personMoves() {
		player, _ := s.person()
		for state = s.Game.NewState(); state.Player() != player; {
			state.Apply(state.Legal(nil)[0])
		}
	}
	var verbs []string
	for _, a := range state.Legal(nil) {
		if verb := s.grammar.spoken[a].verb; !slices.Contains(verbs, verb) {
			verbs, list = append(verbs, verb), append(list, a)
		}
	}
	return list
}

// such is how the person may write a move.
func (s *Session) such() string {
	var texts []string
	for _, a := range s.samples() {
		texts = append(texts, s.grammar.brief(a))
	}
	text := strings.Join(texts, " or ")
	switch {
	case s.grammar.drops:
		text += " (the column)"
	case s.grammar.rowsFirst:
		text += " (row, column)"
	}
	return text
}

// ways are ways to write legal moves.
func (s *Session) ways() string {
	var all []string
	for _, a := range s.samples() {
		all = append(all, s.waysOf(a))
	}
	return strings.Join(all, "; ")
}

func (s *Session) waysOf(a env.Action) string {
	text := s.Game.ActionTexts[a]
	ways := []string{text}
	var numbers []string
	for _, n := range s.grammar.spoken[a].numbers {
		numbers = append(numbers, n.digits)
	}
	if len(numbers) > 0 {
		ways = append(ways, strings.Trim(text, "()"), s.grammar.brief(a))
	}
	if touch := s.Game.Drawing.ActionCells[a]; s.grammar.bare && touch.From != env.NoCell {
		ways = append(ways, strings.Join(numbers[:2], "")+"-"+strings.Join(numbers[2:], ""))
		ways = append(ways, s.chess(touch.From)+"-"+s.chess(touch.To))
	}
	if n := len(ways); n > 1 {
		return strings.Join(ways[:n-1], ", ") + " or " + ways[n-1]
	}
	return text
}

// chess names a cell by a letter for the column and the number of the row.
func (s *Session) chess(cell int32) string {
	row, _ := s.grammar.coordinates(int(cell))
	return string(rune('a'+int(cell)%len(s.Game.Drawing.Columns))) + row
}

// plusSaid explains the mark of targets, where there is one.
func (s *Session) plusSaid() string {
	if !s.grammar.steps && !s.grammar.drops {
		return "" // a piece may go to every empty cell
	}
	return fmt.Sprintf(", %s is where you can go", s.Style.pick("•", "+"))
}
