package analysis

import (
	"context"
	"fmt"
	"math"

	"ludus/env"
	"ludus/train/agent"
)

// Judgement is what an agent thinks of a position that is not done; null is what it does not know.
type Judgement struct {
	Player      string   `json:"player"` // to move
	Value       *float64 `json:"value"`  // expected utility for Player
	Goals       *Goals   `json:"goals"`  // expected
	Best        string   `json:"best"`
	Simulations int      `json:"simulations"`
	Proven      bool     `json:"proven,omitempty"`
	Moves       []Move   `json:"moves"` // every legal one, best first, then by visits and prior
}

// Move is what an agent thinks of a move; its value is for the player to move.
type Move struct {
	Move   string   `json:"move"`
	Visits *int     `json:"visits"`
	Value  *float64 `json:"value"`
	Prior  *float64 `json:"prior"`
}

// Finished is a finished game.
type Finished struct {
	Terminal bool   `json:"terminal"` // true
	Goals    *Goals `json:"goals"`
}

// Goals are both players' goals by their names, the first player's first.
type Goals struct {
	players [2]string
	values  [2]float64
}

// Values are the first and the second player's.
func (g *Goals) Values() [2]float64 { return g.values }

// MarshalJSON writes an object with both names.
func (g *Goals) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "{%q:%v,%q:%v}", g.players[0], g.values[0], g.players[1], g.values[1]), nil
}

// Judge asks an agent about a state that is not done, with the given simulations (0: the agent's own). The same question
// has the same answer. The only error is that of a cancelled ctx.
func Judge(ctx context.Context, game *env.Game, agent agent.Agent, state env.State, simulations int) (*Judgement, error) {
	agent.Reset(0)
	analysis, err := agent.Analyze(ctx, state, simulations)
	if err != nil {
		return nil, err
	}
	j := &Judgement{
		Player:      game.Players[analysis.Player],
		Value:       rounded(analysis.Value),
		Goals:       goals(game, analysis.Goals),
		Best:        game.ActionTexts[analysis.Moves[0].Action],
		Simulations: analysis.Simulations,
		Proven:      analysis.Proven,
	}
	for _, m := range analysis.Moves {
		j.Moves = append(j.Moves, Move{game.ActionTexts[m.Action], m.Visits, rounded(m.Value), rounded(m.Prior)})
	}
	return j, nil
}

// Finish describes a state that is done.
func Finish(game *env.Game, state env.State) *Finished {
	g := state.Goals()
	return &Finished{true, goals(game, &[2]float64{float64(g[0]), float64(g[1])})}
}

func goals(game *env.Game, values *[2]float64) *Goals {
	if values == nil {
		return nil
	}
	return &Goals{game.Players, [2]float64{*rounded(&values[0]), *rounded(&values[1])}}
}

// rounded keeps six decimals, which is what there is in float32.
func rounded(x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := math.Round(*x*1e6) / 1e6
	if y == 0 {
		y = 0 // not -0
	}
	return &y
}
