package board

import (
	"ludus/cmd/internal/diagrams"
	"ludus/env"
)

// Replay is a game to step through in the viewer of reports and of run pages.
type Replay struct {
	Title     string           `json:"title,omitempty"`
	Agents    [2]string        `json:"agents"` // by seat
	Goals     [2]int           `json:"goals"`  // by seat
	Positions []ReplayPosition `json:"positions"`
}

// ReplayPosition is a position of a replay. The last one has no player, no move and no analysis.
type ReplayPosition struct {
	Player int        `json:"player"` // to move; -1 at the end
	Pieces string     `json:"pieces"` // see [diagrams.Pieces]
	Status string     `json:"status"`
	WonBy  []int32    `json:"wonBy,omitempty"`  // cells, see [env.State]
	Move   string     `json:"move,omitempty"`   // played here
	Random bool       `json:"random,omitempty"` // Move belongs to the random opening
	Value  *float64   `json:"value"`            // for the first player; nil is unknown
	Proven bool       `json:"proven,omitempty"` // Value is exact
	Legal  int        `json:"legal,omitempty"`  // number of legal moves
	Moves  []MoveInfo `json:"moves,omitempty"`  // what a search found, the best move first
}

// MoveInfo holds a move's numbers from a search; nil means unknown.
type MoveInfo struct {
	Move   string   `json:"move"`
	Visits *int     `json:"visits,omitempty"`
	Value  *float64 `json:"value,omitempty"`  // for the player to move
	Prior  *float64 `json:"prior,omitempty"`  // of the network
	Policy *float64 `json:"policy,omitempty"` // share of the policy target
}

// NewReplay plays moves, which must be legal, from the start and lists the positions. If annotate is not nil, it is
// called before each move to add what a search found to p; state is valid only during the call.
func NewReplay(game *env.Game, moves []env.Action, annotate func(ply int, state env.State, p *ReplayPosition)) *Replay {
	r := &Replay{}
	state := game.NewState()
	for ply := 0; ; ply++ {
		p := ReplayPosition{
			Player: int(state.Player()), Pieces: diagrams.Pieces(state), Status: game.Status(state), WonBy: state.WinningCells(nil),
		}
		if ply == len(moves) {
			if p.Player = -1; state.Done() {
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
