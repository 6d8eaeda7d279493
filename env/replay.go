package env

import (
	"errors"
	"fmt"
	"slices"
)

// ErrIllegal is wrapped by errors about a move that is not legal in the position where it should be played.
var ErrIllegal = errors.New("illegal move")

// Replayer plays moves from the start of a game and checks that each is legal.
type Replayer struct {
	State State    // the position reached, owned by the replayer
	Legal []Action // legal actions in State, ascending; empty once the game is over
	Moves []Action // played so far

	game *Game
}

// NewReplayer returns a replayer at the starting position.
func NewReplayer(game *Game) *Replayer {
	r := &Replayer{State: game.NewState(), game: game}
	r.Legal = r.State.Legal(nil)
	return r
}

// Play plays an action. If it is not legal, nothing changes, and the error wraps [ErrIllegal] and gives the number of
// the move, counted from 1, its name and its official text.
func (r *Replayer) Play(a Action) error {
	if slices.Contains(r.Legal, a) {
		r.State.Apply(a)
		r.Legal = r.State.Legal(r.Legal[:0])
		r.Moves = append(r.Moves, a)
		return nil
	}
	text, over := fmt.Sprint("action ", a), ""
	if a >= 0 && int(a) < len(r.game.ActionNames) {
		text = r.game.ActionNames[a]
		if text != r.game.ActionTexts[a] {
			text += " " + r.game.ActionTexts[a]
		}
	}
	if r.State.Done() {
		over = ": the game is over"
	}
	return fmt.Errorf("move %d: %w %s%s", len(r.Moves)+1, ErrIllegal, text, over)
}

// Replay returns the position that the moves lead to from the start. If a move is not legal, the error wraps
// [ErrIllegal] and names the move.
func Replay(game *Game, moves []Action) (State, error) {
	r := NewReplayer(game)
	for _, a := range moves {
		if err := r.Play(a); err != nil {
			return nil, err
		}
	}
	return r.State, nil
}

// ReplayText is [Replay] for the texts or names of moves (see [Game.ParseAction]). It also returns the moves as
// actions. Errors wrap [ErrIllegal] or [ErrAction].
func ReplayText(game *Game, texts []string) (State, []Action, error) {
	r := NewReplayer(game)
	for i, text := range texts {
		a, err := game.ParseAction(text)
		if err != nil {
			return nil, nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		if err := r.Play(a); err != nil {
			return nil, nil, err
		}
	}
	return r.State, r.Moves, nil
}
