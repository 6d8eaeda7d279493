package board

import (
	"ludus/cmd/internal/diagrams"
	"ludus/env"
)

// Replay is a game to step through in the viewer of reports and of run pages.
type Replay struct {
	Title     string           `json:"title,omitempty"`
	Game      string           `json:"game"`
	Agents    [2]string        `json:"agents"` // by seat
	Goals     [2]int           `json:"goals"`  // by seat
	Positions []ReplayPosition `json:"positions"`
}

// ReplayPosition is a position of a replay with the move played in it. The last position has no player, move or analysis.
type ReplayPosition struct {
	Player int          `json:"player"` // player to move; -1 at the end
	Pieces string       `json:"pieces"` // see [diagrams.Pieces]
	Status string       `json:"status"`
	WonBy  []int32      `json:"wonBy,omitempty"`  // winning cells, see [env.State]
	Move   string       `json:"move,omitempty"`   // move played in this position
	Random bool         `json:"random,omitempty"` // the move belongs to the random opening
	Value  *float64     `json:"value"`            // for the first player; nil: unknown
	Proven bool         `json:"proven,omitempty"` // Value is proven exact
	Legal  int          `json:"legal,omitempty"`  // number of legal moves
	Moves  []MovePolicy `json:"moves,omitempty"`  // searched moves, the best first
}

// MovePolicy is a move's share in the policy target of its position.
type MovePolicy struct {
	Move   string  `json:"move"`
	Policy float64 `json:"policy"`
}

// NewReplay plays moves, which must be legal, from the start and lists the positions. If annotate is not nil, it is called
// for each position to add the search's results to p; state is valid only during the call.
func NewReplay(game *env.Game, moves []env.Action, annotate func(ply int, state env.State, p *ReplayPosition)) *Replay {
	r := &Replay{Game: game.Name}
	state := game.NewState()
	for ply := 0; ; ply++ {
		p := ReplayPosition{
			Player: int(state.Player()), Pieces: diagrams.Pieces(state), Status: game.Status(state), WonBy: state.WinningCells(nil),
		}
		if ply == len(moves) {
			p.Player = -1
			if state.Done() {
				p.Value, p.Proven = new(float64(game.Classes[state.Outcome()].Utility)), true
			}
			r.Positions, r.Goals = append(r.Positions, p), state.Goals()
			return r
		}
		p.Move, p.Legal = game.ActionNames[moves[ply]], len(state.Legal(nil))
		if annotate != nil {
			annotate(ply, state, &p)
		}
		r.Positions = append(r.Positions, p)
		state.Apply(moves[ply])
	}
}
