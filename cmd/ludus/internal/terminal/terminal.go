package terminal

import (
	"bufio"
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
	"ludus/env"
	"ludus/train/agent"
)

// Seat is who plays a side.
type Seat struct {
	Name string
	// Agent moves; nil where a person does.
	Agent agent.Agent
	// Advisor says what the agent thinks. It is another one of the same description, so that asking changes no move.
	Advisor agent.Agent
}

// Config is what is played, by whom and for whom to see.
type Config struct {
	Game  *env.Game
	Seats [2]Seat // at most one person
	Seed  uint64  // of the agents; every game and every undo has another one, which follows from it
	// Delay is waited for after each move where two agents play.
	Delay time.Duration
	// Thoughts tells what an agent thinks before each of its moves.
	Thoughts bool
	// Keyboard says that a person types: there are prompts, and a game's end is not the end.
	Keyboard bool
	// JSON writes an object a line instead of text.
	JSON  bool
	Style Style
}

// ErrRefused is wrapped by the error of a session without a keyboard that has refused lines.
var ErrRefused = errors.New("lines of the input were refused")

// Session is games between the same two, one after the other. It has one owner.
type Session struct {
	Config
	grammar *grammar
	view    view
	written bytes.Buffer // by the view, not yet by flush
	w       io.Writer

	state  env.State
	moves  []env.Action
	movers []env.Player // by move
	legal  []env.Action
	seeds  uint64 // how often the agents were reset
	listed bool   // the legal moves have been listed: a bare number is one of them
	told   bool   // the result has been told

	refused int // lines that could not be obeyed
}

// view tells what happens, to people or to programs.
type view interface {
	begin()    // who plays
	position() // the board
	prompt()
	moved(player env.Player, action env.Action, took time.Duration)
	thoughts(name string, j *analysis.Judgement)
	hint(name string, j *analysis.Judgement)
	list(legal []env.Action)
	undone(plies int)
	note(text string)
	problem(line, text string)
	finished()
	ended()                         // the input, before the game
	wait(name string) (stop func()) // an agent thinks
}

// New prepares a session that writes to w.
func New(config Config, w io.Writer) *Session {
	s := &Session{Config: config, grammar: newGrammar(config.Game), w: w}
	if config.JSON {
		s.view = newJSONView(s)
	} else {
		s.view = newTextView(s)
	}
	s.begin()
	return s
}

// begin sets the board up for a game.
func (s *Session) begin() {
	s.state, s.moves, s.movers, s.told = s.Game.NewState(), nil, nil, false
	s.reset()
}

// reset makes the agents forget what they kept, and gives them another seed.
func (s *Session) reset() {
	s.listed = false
	for i := range s.Seats {
		if agent := s.Seats[i].Agent; agent != nil {
			agent.Reset(s.Seed + s.seeds<<32 + uint64(i))
		}
	}
	s.seeds++
}

// person is the side that a person plays.
func (s *Session) person() (p env.Player, ok bool) {
	i := slices.IndexFunc(s.Seats[:], func(seat Seat) bool { return seat.Agent == nil })
	return env.Player(max(i, 0)), i >= 0
}

// personMoves reports whether a person is to move.
func (s *Session) personMoves() bool {
	return !s.state.Done() && s.Seats[s.state.Player()].Agent == nil
}

// winner is the player with more goals; there is none in a draw.
func (s *Session) winner() (p env.Player, ok bool) {
	goals := s.state.Goals()
	if goals[1] > goals[0] {
		return env.Second, true
	}
	return env.First, goals[0] > goals[1]
}

// Play plays until the game is over, or, at a keyboard, until the person quits; or until in ends, of which lines are read
// only where a person plays. The error is that of ctx, in or the output, or wraps [ErrRefused]. If ctx is cancelled, a
// goroutine stays behind until in has another line.
func (s *Session) Play(ctx context.Context, in io.Reader) error {
	err := s.run(ctx, in)
	if err == nil && s.refused > 0 && !s.Keyboard {
		return fmt.Errorf("%w: %d", ErrRefused, s.refused)
	}
	return err
}

// run is Play, but for the lines that are refused.
func (s *Session) run(ctx context.Context, in io.Reader) error {
	_, hasPerson := s.person()
	var lines <-chan string
	var fault <-chan error
	if hasPerson {
		lines, fault = readLines(ctx, in)
	}
	s.start()
	for {
		if s.state.Done() && !s.told {
			s.told = true
			s.view.position()
			s.view.finished()
		}
		if s.state.Done() && !(s.Keyboard && hasPerson) {
			return s.flush()
		}
		if !s.state.Done() && !s.personMoves() {
			if err := s.answer(ctx, hasPerson); err != nil {
				return err
			}
			continue
		}
		s.view.prompt()
		if err := s.flush(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return s.interrupted(ctx)
		case line, ok := <-lines:
			if !ok {
				s.view.ended()
				if err := s.flush(); err != nil {
					return err
				}
				return <-fault
			}
			if quit, err := s.obey(ctx, line); quit || err != nil {
				return err
			}
		}
	}
}

// flush writes what the view has written.
func (s *Session) flush() error {
	_, err := s.w.Write(s.written.Bytes())
	s.written.Reset()
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// interrupted ends the line that the prompt has begun.
func (s *Session) interrupted(ctx context.Context) error {
	if s.Keyboard && !s.JSON {
		s.written.WriteByte('\n')
		s.flush() // what interrupts counts for more
	}
	return ctx.Err()
}

// maxLine is the number of bytes from which on a line is too long to be a move; only its beginning is kept.
const maxLine = 1024

// readLines sends the lines of in; once they are closed, fault has what ended them, nil for the end of in.
func readLines(ctx context.Context, in io.Reader) (lines <-chan string, fault <-chan error) {
	send, failed := make(chan string), make(chan error, 1)
	go func() {
		defer close(send)
		reader := bufio.NewReaderSize(in, 2*maxLine)
		for {
			part, more, err := reader.ReadLine()
			line := string(part)
			for more && err == nil {
				_, more, err = reader.ReadLine()
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				failed <- err
				return
			}
			select {
			case send <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return send, failed
}

// answer lets the agent move whose turn it is.
func (s *Session) answer(ctx context.Context, hasPerson bool) error {
	seat := &s.Seats[s.state.Player()]
	if s.Thoughts {
		if err := s.think(ctx, s.view.thoughts); err != nil {
			return err
		}
	}
	if err := s.flush(); err != nil {
		return err
	}
	stop, start := s.view.wait(seat.Name), time.Now()
	action, err := seat.Agent.Choose(ctx, s.state)
	stop()
	if err != nil {
		return err
	}
	s.play(action, time.Since(start))
	if hasPerson || s.state.Done() {
		return nil
	}
	s.view.position()
	if err := s.flush(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.Delay):
		return nil
	}
}

// play makes a move, after so long a time.
func (s *Session) play(action env.Action, took time.Duration) {
	mover := s.state.Player()
	s.state.Apply(action)
	s.moves, s.movers, s.listed = append(s.moves, action), append(s.movers, mover), false
	for _, seat := range s.Seats {
		if seat.Agent != nil {
			seat.Agent.Observe(action)
		}
	}
	s.view.moved(mover, action, took)
	if s.personMoves() {
		s.view.position()
	}
}

// last are the newest moves that one player made in a row.
func (s *Session) last() []env.Action {
	n := len(s.moves)
	for i := n; i > 0; i-- {
		if s.movers[i-1] != s.movers[n-1] {
			return s.moves[i:]
		}
	}
	return s.moves
}

// commands are the words that are no moves.
var commands = []string{"help", "hint", "moves", "board", "undo", "new", "switch", "side", "quit"}

// obey does what a line says.
func (s *Session) obey(ctx context.Context, line string) (quit bool, err error) {
	if len(line) >= maxLine {
		s.refuse("", "That line is too long; help says what can be typed.")
		return false, nil
	}
	words := strings.Fields(strings.ToLower(line))
	if len(words) == 0 {
		return false, nil
	}
	argument := strings.Join(words[1:], " ")
	switch words[0] {
	case "side":
		s.side(line, argument)
		return false, nil
	case "undo", "u":
		s.undo(line, argument)
		return false, nil
	}
	if strings.ContainsAny(argument, "0123456789") { // b 3 4 blocks a cell, b shows the board
		s.move(line)
		return false, nil
	}
	switch words[0] {
	case "help", "h":
		s.view.note(s.help())
	case "quit", "q", "exit":
		return true, s.flush()
	case "moves", "list":
		s.listed = true
		s.legal = s.state.Legal(s.legal[:0])
		s.view.list(s.legal)
	case "board", "b":
		s.view.position()
	case "new":
		s.begin()
		s.start()
	case "switch":
		s.swap()
	case "hint":
		return false, s.think(ctx, s.view.hint)
	case "?", "think", "thoughts":
		return false, s.think(ctx, s.view.thoughts)
	default:
		s.move(line)
	}
	return false, nil
}

// start tells who plays, and shows the board unless the agent's answer will.
func (s *Session) start() {
	s.view.begin()
	if _, hasPerson := s.person(); !hasPerson || s.personMoves() {
		s.view.position()
	}
}

// refuse answers a line that cannot be obeyed.
func (s *Session) refuse(line, text string) {
	s.refused++
	s.view.problem(line, text)
}

// move plays what a line says, if that is clear.
func (s *Session) move(line string) {
	if s.state.Done() {
		s.refuse(line, "The game is over; there are new, undo and quit.")
		return
	}
	s.legal = s.state.Legal(s.legal[:0])
	action, problem := s.meant(line)
	if problem != "" {
		s.refuse(line, problem)
		return
	}
	s.play(action, 0)
}

// meant finds the legal move that a line means: #3 is the third of the list; so is 3 where the list has just been shown.
func (s *Session) meant(line string) (env.Action, string) {
	text, marked := strings.CutPrefix(strings.TrimSpace(line), "#")
	bare := s.listed && !s.grammar.drops
	if n, err := strconv.Atoi(text); err == nil && (marked || bare) {
		if n < 1 || n > len(s.legal) {
			return 0, fmt.Sprintf("There are moves #1 to #%d; moves lists them.", len(s.legal))
		}
		return s.legal[n-1], ""
	}
	return s.grammar.match(s.state, s.legal, line)
}

// undo goes back to the person's last decision, or to one before.
func (s *Session) undo(line, argument string) {
	times := 1
	if argument != "" {
		n, err := strconv.Atoi(argument)
		if err != nil || n < 1 {
			s.refuse(line, "undo takes one move back, undo 3 takes three.")
			return
		}
		times = n
	}
	player, _ := s.person()
	plies := len(s.moves)
	for i := len(s.moves) - 1; i >= 0 && times > 0; i-- {
		if s.movers[i] == player {
			plies, times = i, times-1
		}
	}
	taken := len(s.moves) - plies
	if taken == 0 {
		s.refuse(line, "There is nothing to take back.")
		return
	}
	s.state.CopyFrom(s.Game.NewState())
	for _, action := range s.moves[:plies] {
		s.state.Apply(action)
	}
	s.moves, s.movers, s.told = s.moves[:plies], s.movers[:plies], false
	s.reset() // what an agent kept belongs to a game that did not happen
	s.view.undone(taken)
	s.view.position()
}

// side lets the person play the side that a text names.
func (s *Session) side(line, text string) {
	wanted, ok := Side(s.Game, text)
	if !ok && text != "" {
		s.refuse(line, fmt.Sprintf("side takes first (%s) or second (%s).", s.Game.Players[0], s.Game.Players[1]))
		return
	}
	if player, _ := s.person(); text != "" && player == wanted {
		s.view.note(fmt.Sprintf("You are %s already.", s.Game.Players[player]))
		return
	}
	s.swap()
}

// swap changes sides.
func (s *Session) swap() {
	s.Seats[0], s.Seats[1] = s.Seats[1], s.Seats[0]
	s.reset()
	s.start()
}

// think asks the agent that plays, or the person's opponent, about the position.
func (s *Session) think(ctx context.Context, tell func(name string, j *analysis.Judgement)) error {
	if s.state.Done() {
		s.view.note("The game is over.")
		return nil
	}
	seat := &s.Seats[s.state.Player()]
	if seat.Agent == nil {
		seat = &s.Seats[s.state.Player().Opponent()]
	}
	if err := s.flush(); err != nil {
		return err
	}
	stop := s.view.wait(seat.Name)
	j, err := analysis.Judge(ctx, s.Game, seat.Advisor, s.state, 0)
	stop()
	if err != nil {
		return err
	}
	tell(seat.Name, j)
	return nil
}

// Side finds the player that a text names: first, second or its name.
func Side(game *env.Game, text string) (p env.Player, ok bool) {
	sides := []string{"first", "second", game.Players[0], game.Players[1]}
	i := slices.IndexFunc(sides, func(side string) bool { return strings.EqualFold(side, text) })
	return env.Player(max(i, 0) % 2), i >= 0
}
