package analysis

import (
	"context"
	"math"

	"ludus/env"
	"ludus/train/agent"
)

// Result is an agent's analysis of an unfinished position. Values are expected utilities in [-1, 1] for Player. A nil
// value (null in JSON) is unknown to the agent.
type Result struct {
	Player      string             `json:"player"` // the player to move
	Value       *float64           `json:"value"`
	Goals       map[string]float64 `json:"goals"` // expected final scores by player, 0 to 100
	Best        string             `json:"best"`
	Reason      string             `json:"reason,omitempty"` // words that follow "BEST, which"
	Simulations int                `json:"simulations"`      // number of simulations that were run
	Proven      bool               `json:"proven,omitempty"` // Value is exact
	Moves       []MoveInfo         `json:"moves"`            // every legal move: Best first, then by visits and prior

	fact string // the Reason if it is one
}

// MoveInfo is the analysis of one legal move. Its value is for the player who makes it.
type MoveInfo struct {
	Move   string   `json:"move"`
	Visits *int     `json:"visits"`
	Value  *float64 `json:"value"`
	Prior  *float64 `json:"prior"`
	Line   []string `json:"line,omitempty"` // principal variation, beginning with Move; at most 12 moves
}

// GameResult is the result of a finished game.
type GameResult struct {
	Terminal bool               `json:"terminal"` // always true
	Value    float64            `json:"value"`    // utility for the first player
	Goals    map[string]float64 `json:"goals"`    // final scores by player, 0 to 100
}

// Analyze analyses a state, which is not terminal, after the moves from the start, with a number of simulations (0: the
// agent's default). It resets the agent first, so the same request gives the same result. Errors are those of
// [agent.Agent.Analyze].
func Analyze(ctx context.Context, game *env.Game, a agent.Agent, state env.State, moves []env.Action, simulations int) (*Result, error) {
	agent.Restart(a, 0, moves)
	return analyze(ctx, game, a, state, simulations)
}

// analyze is Analyze for an agent that is ready for the state.
func analyze(ctx context.Context, game *env.Game, a agent.Agent, state env.State, simulations int) (*Result, error) {
	analysis, err := a.Analyze(ctx, state, simulations)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Player:      game.Players[analysis.Player],
		Value:       rounded(analysis.Value),
		Goals:       goalsOf(game, analysis.Goals),
		Best:        game.ActionNames[analysis.Moves[0].Action],
		Reason:      reason(game, state, analysis),
		fact:        fact(game, state, analysis),
		Simulations: analysis.Simulations,
		Proven:      analysis.Proven,
	}
	for _, m := range analysis.Moves {
		r.Moves = append(r.Moves, MoveInfo{game.ActionNames[m.Action], m.Visits, rounded(m.Value), rounded(m.Prior), game.Names(m.Line)})
	}
	return r, nil
}

// NewGameResult returns the result of a finished game. state must be terminal.
func NewGameResult(game *env.Game, state env.State) *GameResult {
	g := state.Goals()
	return &GameResult{true, roundUtility(game.Classes[state.Outcome()].Utility), goalsOf(game, &[2]float64{float64(g[0]), float64(g[1])})}
}

// goalsOf names the players of their (expected) final scores, 0 to 100. It returns nil if they are unknown (nil).
func goalsOf(game *env.Game, values *[2]float64) map[string]float64 {
	if values == nil {
		return nil
	}
	return map[string]float64{game.Players[0]: *rounded(&values[0]), game.Players[1]: *rounded(&values[1])}
}

// rounded rounds to six decimals, since a float32 has about seven significant digits. It turns -0 into 0, and nil into
// nil.
func rounded(x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := math.Round(*x*1e6) / 1e6
	if y == 0 {
		y = 0
	}
	return &y
}
