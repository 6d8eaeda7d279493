package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/lines"
	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
	"ludus/env/naming"
	"ludus/train/agent"
)

// Seat is a player of the session: an agent or a person.
type Seat struct {
	// Name is the agent's name. [New] sets it to "person" for a person.
	Name string
	// Agent chooses the moves; nil for a person.
	Agent agent.Agent
	// Advisor analyses positions for the person. It is a separate agent with the spec of Agent, so that analyses do not
	// change Agent's moves, but without elo=, so that they have full strength.
	Advisor     agent.Agent
	AdvisorName string // spec of Advisor
	Strength    string // the agent's strength in words, see [agent.Dial.Words]; "" if unknown
}

// Config describes a session: the game, the players and the output.
type Config struct {
	Game  *env.Game
	Seats [2]Seat // at most one person
	Seed  uint64  // seed of the agents; each game, undo and change of sides derives another seed from it
	// Delay is the pause after each move if two agents play.
	Delay time.Duration
	// ShowAnalysis shows an agent's analysis before each of its moves.
	ShowAnalysis bool
	// Keyboard means that the input is typed at a terminal: Session shows prompts.
	Keyboard bool
	Style    Style
	// Start are moves that the first game goes on from; they must be legal.
	Start []env.Action
	// Keep, if not nil, is called with each game when it is left, unless it has no moves of the session: with its moves
	// and the time that each took, 0 for a person's.
	Keep func(moves []env.Action, took []time.Duration) error
}

// Session plays games between the same two players, one after the other. It has one owner.
type Session struct {
	Config
	parser *notation.Parser
	canvas *canvas

	output bytes.Buffer // output that is not written to w yet
	w      io.Writer

	state  env.State
	moves  []env.Action
	movers []env.Player    // player of each move
	took   []time.Duration // time of each move
	given  int             // moves of Start that the game began with
	resets uint64          // number of calls of resetAgents

	failure     error // with which an outside program to move has ended the game, see agent.Failed; nil if none did
	resultShown bool
	rejected    int // number of rejected input lines
}

// New returns a session that writes to w.
func New(config Config, w io.Writer) *Session {
	s := &Session{Config: config, parser: notation.NewParser(config.Game), w: w}
	s.canvas = newCanvas(s.Game, &s.Style)
	if player, ok := s.person(); ok {
		s.Seats[player].Name = "person"
	}
	s.newGame()
	if len(s.Start) > 0 {
		for _, a := range s.Start {
			s.advance(a, 0)
		}
		s.given = len(s.Start)
		s.resetAgents()
	}
	return s
}

// newGame returns to the starting position.
func (s *Session) newGame() {
	s.state, s.moves, s.movers, s.took, s.given = s.Game.NewState(), nil, nil, nil, 0
	s.resetAgents()
}

// resetAgents gives each agent a new seed and clears its search tree; the game goes on from the moves so far. Seeds
// differ between resets, in the upper 32 bits, and between seats.
func (s *Session) resetAgents() {
	for i := range s.Seats {
		if a := s.Seats[i].Agent; a != nil {
			agent.Restart(a, s.Seed+s.resets<<32+uint64(i), s.moves)
		}
	}
	s.resets++
	s.failure, s.resultShown = nil, s.resultShown && s.state.Done()
}

// over reports whether the game has ended, by its rules or because a program failed.
func (s *Session) over() bool { return s.state.Done() || s.failure != nil }

// person returns the side that a person plays. ok is false if two agents play.
func (s *Session) person() (p env.Player, ok bool) {
	i := slices.IndexFunc(s.Seats[:], func(seat Seat) bool { return seat.Agent == nil })
	return env.Player(max(i, 0)), i >= 0
}

// personMoves reports whether a person is to move.
func (s *Session) personMoves() bool {
	return !s.over() && s.Seats[s.state.Player()].Agent == nil
}

// Play plays until the game is over, or if a person plays, until the person quits or the input ends; without a keyboard
// also until a line after the game is no command. It reads input only if a person plays. It returns an error if ctx
// ends or if input or output fail. Without a keyboard the error wraps [analysis.ErrRejected] if lines were rejected.
// Play closes in, which must end a pending Read, and joins the goroutine that reads it.
func (s *Session) Play(ctx context.Context, in io.ReadCloser) error {
	err := s.run(ctx, in)
	if kept := s.keep(); kept != nil {
		err = errors.Join(err, kept)
	}
	if err == nil && s.rejected > 0 && !s.Keyboard {
		return fmt.Errorf("%w: %d", analysis.ErrRejected, s.rejected)
	}
	return err
}

// keep hands the game to Keep before it is left.
func (s *Session) keep() error {
	if s.Keep == nil || len(s.moves) <= s.given {
		return nil
	}
	return s.Keep(s.moves, s.took)
}

// maxLine is the length in bytes of the longest accepted input line.
const maxLine = 1023

// run is Play without the error for rejected lines.
func (s *Session) run(ctx context.Context, in io.ReadCloser) error {
	_, hasPerson := s.person()
	var input *lines.Reader
	if hasPerson {
		input = lines.NewReader(in, maxLine, 0)
		defer input.Close()
	}
	s.showStart(true)
	for {
		if s.over() && !s.resultShown {
			s.resultShown = true
			if s.failure == nil {
				s.showPosition()
			}
			s.showResult()
		}
		if s.over() && !hasPerson {
			return s.flush()
		}
		if !s.over() && !s.personMoves() {
			if err := s.agentMove(ctx, hasPerson); err != nil {
				return err
			}
			continue
		}
		s.prompt()
		err := s.flush()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			if s.Keyboard { // ends the line of the prompt
				s.output.WriteByte('\n')
				s.flush() // a write error does not matter here: the interruption is returned
			}
			return ctx.Err()
		case line, ok := <-input.C:
			if !ok {
				s.showInputEnd()
				return errors.Join(s.flush(), input.Err)
			}
			quit, err := s.execute(ctx, string(line))
			if quit || err != nil {
				return err
			}
		}
	}
}

// flush writes the output to w.
func (s *Session) flush() error {
	_, err := s.w.Write(s.output.Bytes())
	s.output.Reset()
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// agentMove plays the move of the agent whose turn it is.
func (s *Session) agentMove(ctx context.Context, hasPerson bool) error {
	seat := &s.Seats[s.state.Player()]
	if s.ShowAnalysis {
		if err := s.analyze(ctx, s.showBest); err != nil {
			return err
		}
	}
	err := s.flush()
	if err != nil {
		return err
	}
	stop, start := s.showThinking(seat.Name), time.Now()
	action, err := seat.Agent.Choose(ctx, s.state)
	stop()
	if ctx.Err() == nil && agent.Failed(err) {
		s.failure = err
		return nil
	}
	if err != nil {
		return err
	}
	s.apply(action, time.Since(start))
	if hasPerson || s.over() {
		return nil
	}
	s.showPosition()
	err = s.flush()
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.Delay):
		return nil
	}
}

// advance plays a move. took is the duration of the choice.
func (s *Session) advance(action env.Action, took time.Duration) {
	s.moves, s.movers, s.took = append(s.moves, action), append(s.movers, s.state.Player()), append(s.took, took)
	s.state.Apply(action)
}

// apply plays a move, shows it, and lets the agents observe it.
func (s *Session) apply(action env.Action, took time.Duration) {
	mover := s.state.Player()
	s.advance(action, took)
	for _, seat := range s.Seats {
		if seat.Agent != nil {
			seat.Agent.Observe(action)
		}
	}
	s.showMove(mover, action, took)
	if s.personMoves() {
		s.showPosition()
	}
}

// lastMoves returns the last moves of the player who moved last: several if that player moved several times in a row.
func (s *Session) lastMoves() []env.Action {
	n := len(s.moves)
	for i := n; i > 0; i-- {
		if s.movers[i-1] != s.movers[n-1] {
			return s.moves[i:]
		}
	}
	return s.moves
}

// commands lists the commands, for corrections of mistyped words.
var commands = []string{"help", "hint", "moves", "rules", "board", "review", "undo", "new", "switch", "quit"}

// execute runs the command or plays the move on an input line.
func (s *Session) execute(ctx context.Context, line string) (quit bool, err error) {
	if len(line) > maxLine {
		s.reject("That line is too long; type help for the commands.")
		return false, nil
	}
	words := strings.Fields(strings.ToLower(line))
	if len(words) == 0 {
		return false, nil
	}
	if _, ok := s.exactMove(line); ok {
		s.playLine(line)
		return false, nil
	}
	switch strings.TrimPrefix(words[0], "/") {
	case "help":
		s.showHelp()
	case "quit", "q", "exit":
		return true, s.flush()
	case "moves":
		s.listMoves(s.state.Legal(nil))
	case "rules":
		s.showRules()
	case "board":
		s.showPosition()
	case "undo":
		if len(words) > 1 {
			s.reject("undo has no number: it takes back your last move; type it again for more.")
			return false, nil
		}
		s.undo()
	case "new":
		if err := s.keep(); err != nil {
			return false, err
		}
		s.newGame()
		s.showStart(false)
	case "switch":
		s.switchSides()
	case "review":
		return false, s.review(ctx)
	case "hint":
		return false, s.analyze(ctx, s.showSuggestion)
	case "?", "analyze":
		show := s.showBest
		if slices.Equal(words[1:], []string{"all"}) {
			show = func(agent string, r *analysis.Result) { s.showAnalysis(agent, r, true) }
		}
		return false, s.analyze(ctx, show)
	default:
		if s.over() && !s.Keyboard { // the lines of a script that has more moves than the game
			return true, s.flush()
		}
		s.playLine(line)
	}
	return false, nil
}

// showStart shows the players, the rules if wanted, and the board. It leaves out the board if an agent moves first
// against a person, because the agent's move will show it.
func (s *Session) showStart(rules bool) {
	s.showPlayers()
	if rules {
		s.showRules()
	}
	if _, hasPerson := s.person(); !hasPerson || s.personMoves() {
		s.showPosition()
	}
}

// reject counts an input line that has no effect and shows the reason.
func (s *Session) reject(reason string) {
	s.rejected++
	s.line("%s", reason)
}

// playLine plays the move on an input line.
func (s *Session) playLine(line string) {
	if s.over() {
		s.reject("The game is over; type review, new, switch, undo or quit.")
		return
	}
	action, err := s.parseMove(line)
	if err != nil {
		reason := err.Error()
		if !strings.HasSuffix(reason, "?") {
			reason += "."
		}
		s.reject(reason)
		return
	}
	s.apply(action, 0)
}

// exactMove returns the legal move whose name or official text is an input line, or a column's letter if pieces fall:
// such a move comes before a command.
func (s *Session) exactMove(line string) (a env.Action, ok bool) {
	legal := s.state.Legal(nil)
	a, err := s.Game.ParseAction(line)
	if err != nil && s.parser.Drops && len(legal) > 0 && len(strings.TrimSpace(line)) == 1 {
		a, err = s.parser.Parse(s.state, legal, line)
	}
	return a, err == nil && slices.Contains(legal, a)
}

// parseMove returns the legal move on an input line. "#3" is the third legal move.
func (s *Session) parseMove(line string) (env.Action, error) {
	if a, ok := s.exactMove(line); ok {
		return a, nil
	}
	text, numbered := strings.CutPrefix(strings.TrimSpace(line), "#")
	legal := s.state.Legal(nil)
	if n, err := strconv.Atoi(text); err == nil && numbered {
		if n < 1 || n > len(legal) {
			return 0, fmt.Errorf("there are moves #1 to #%d; type moves to list them", len(legal))
		}
		return legal[n-1], nil
	}
	action, err := s.parser.Parse(s.state, legal, line)
	if word := strings.ToLower(text); err != nil && !strings.ContainsAny(word, " 0123456789") {
		verbs := s.parser.Verbs
		if near := naming.Nearest(word, slices.Concat(commands, verbs)); near != "" && !slices.Contains(verbs, near) {
			return 0, fmt.Errorf("%s is neither a move nor a command; did you mean %s?", env.Quote(text), near)
		}
	}
	return action, err
}

// undo takes back the person's last move and all moves after it.
func (s *Session) undo() {
	player, _ := s.person()
	plies := len(s.moves) - 1
	for plies >= 0 && s.movers[plies] != player {
		plies--
	}
	if plies < 0 {
		s.reject("There is nothing to take back.")
		return
	}
	taken := len(s.moves) - plies
	s.moves, s.movers, s.took, s.given = s.moves[:plies], s.movers[:plies], s.took[:plies], min(s.given, plies)
	s.state, _ = env.Replay(s.Game, s.moves) // cannot fail: they were legal
	s.resetAgents()                          // their search trees contain moves that were taken back
	fmt.Fprintf(&s.output, "taken back: %s\n\n", Counted(taken, "move"))
	s.showPosition()
}

// switchSides swaps the seats of the players; the position stays.
func (s *Session) switchSides() {
	s.Seats[0], s.Seats[1] = s.Seats[1], s.Seats[0]
	s.resetAgents()
	s.showStart(false)
}

// showBest shows an analysis with only its best moves.
func (s *Session) showBest(agent string, r *analysis.Result) { s.showAnalysis(agent, r, false) }

// analyze shows an analysis of the position by the agent to move. If the person is to move, the opponent's advisor
// analyses.
func (s *Session) analyze(ctx context.Context, show func(agent string, r *analysis.Result)) error {
	if s.over() {
		s.note("The game is over.")
		return nil
	}
	seat := s.adviser()
	err := s.flush()
	if err != nil {
		return err
	}
	stop := s.showThinking(seat.AdvisorName)
	result, err := analysis.Analyze(ctx, s.Game, seat.Advisor, s.state, s.moves, 0)
	stop()
	if ctx.Err() == nil && agent.Failed(err) {
		s.note(seat.AdvisorName + " has no move here: " + err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	show(seat.AdvisorName, result)
	return nil
}

// adviser returns the seat whose advisor analyses: that of the player to move, or of the opponent if that is a person.
func (s *Session) adviser() *Seat {
	player := s.state.Player()
	if s.Seats[player].Agent == nil {
		player = player.Opponent()
	}
	return &s.Seats[player]
}

// review shows where the moves of the game gave value away.
func (s *Session) review(ctx context.Context) error {
	seat := s.adviser()
	err := s.flush()
	if err != nil {
		return err
	}
	stop := s.showThinking(seat.AdvisorName)
	review, err := analysis.ReviewGame(ctx, s.Game, seat.Advisor, s.moves, 0, nil)
	stop()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, analysis.ErrNoValues) || agent.Failed(err):
		s.note(seat.AdvisorName + " does not evaluate positions.")
		return nil
	case err != nil:
		return err
	}
	review.Players = [2]string{s.Seats[0].Name, s.Seats[1].Name}
	s.output.WriteString(s.Style.Review(review) + "\n")
	return nil
}

// ParseSide parses a side: "first", "second" or a player's name, in any case. ok is false for other texts.
func ParseSide(game *env.Game, text string) (p env.Player, ok bool) {
	sides := []string{"first", "second", game.Players[0], game.Players[1]}
	i := slices.IndexFunc(sides, func(side string) bool { return strings.EqualFold(side, text) })
	return env.Player(max(i, 0) % 2), i >= 0
}
