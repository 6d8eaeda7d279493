package report

import (
	"cmp"
	"fmt"
	"slices"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/train/record"
	"ludus/train/rundir"
)

// Samples are self-play games of a run.
type Samples struct {
	Description *board.Description `json:"description"`
	Games       []*board.Replay    `json:"games"`
}

// maxSamples is the largest number of games in [Samples].
const maxSamples = 4

// readSamples returns the first games, all on the same board, of the newest generation in which games ended on the board of
// the run's game, or else on any; nil if the run keeps no games.
func readSamples(run *Run) (*Samples, error) {
	generations, err := rundir.GamesGenerations(run.Dir)
	if err != nil {
		return nil, err
	}
	side := run.Game.Tensor.W
	onOther := map[int]bool{} // whether a generation played another board
	for i := range run.Generations {
		g := &run.Generations[i]
		onOther[g.Generation] = cmp.Or(g.Size, side) != side
	}
	var wanted, others []int
	for _, g := range slices.Backward(generations) {
		if onOther[g] {
			others = append(others, g)
		} else {
			wanted = append(wanted, g)
		}
	}
	for _, generation := range append(wanted, others...) {
		records, first, err := record.Read(run.Game, run.Dir, generation)
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			continue
		}
		game := records[0].Game
		samples := &Samples{Description: board.Describe(game)}
		for i, r := range records[:min(len(records), maxSamples)] {
			if r.Game != game {
				break
			}
			replay := SelfPlayReplay(r, generation)
			replay.Title = fmt.Sprintf("generation %d, game %d", generation, first+i)
			if run.Config.Settings.Sizes != 0 {
				replay.Title += fmt.Sprintf(", %dx%[1]d", game.Tensor.W)
			}
			samples.Games = append(samples.Games, replay)
		}
		return samples, nil
	}
	return nil, nil
}

// minPolicyShare is the smallest share of a policy target that a replay shows.
const minPolicyShare = 0.005

// SelfPlayReplay returns a self-play game with the value and the policy target of each searched position.
func SelfPlayReplay(r *record.Record, generation int) *board.Replay {
	game := r.Game
	var legal []env.Action
	var policy []float32
	replay := board.NewReplay(game, r.Moves(), func(ply int, state env.State, position *board.ReplayPosition) {
		position.Random = ply < len(r.Opening)
		if position.Random {
			return
		}
		found := &r.Plies[ply-len(r.Opening)]
		position.Value, position.Proven = new(state.Player().Sign()*found.Value(game)), found.Proven >= 0
		legal = state.Legal(legal[:0])
		policy = slices.Grow(policy[:0], len(legal))[:len(legal)]
		found.Policy.Normalise(policy)
		for i, share := range policy {
			if share >= minPolicyShare {
				position.Moves = append(position.Moves, board.MovePolicy{Move: game.ActionNames[legal[i]], Policy: float64(share)})
			}
		}
		slices.SortStableFunc(position.Moves, func(a, b board.MovePolicy) int { return cmp.Compare(b.Policy, a.Policy) })
	})
	agent := fmt.Sprintf("generation %d", generation)
	replay.Agents, replay.Goals = [2]string{agent, agent}, r.Goals
	return replay
}
