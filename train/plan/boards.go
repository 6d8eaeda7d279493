package plan

import (
	"math"

	"ludus/env"
	"ludus/train/learn"
	"ludus/train/rundir"
)

// A run may train several sizes of a board, with one network. Each generation plays one of them. Work is counted in
// positions times cells, so a position costs about the same whatever its board.

const (
	focusShare = 0.75 // of the work, for the size in focus
	mostGames  = 3    // a generation advances a game in progress by at most this many games of the greatest usual length
)

// SizeWeights returns how the work of a run divides among n sizes of the board, from the smallest to the target, when
// the given share of the plan is done. The weights sum to 1. The focus moves evenly from the smallest size to the
// target while the learning rate is at its peak, and then stays there. The size in focus gets three quarters of the
// work, the smaller ones share the rest, and larger ones get none until the focus moves on to them.
func SizeWeights(n int, share float64) []float64 {
	focus := min(1, share/learn.ConstantShare) * float64(n-1)
	from := int(focus)
	weights, next := focusOn(n, from), focusOn(n, min(from+1, n-1))
	moved := focus - float64(from) // part of the way from one size to the next
	for i := range weights {
		weights[i] = (1-moved)*weights[i] + moved*next[i]
	}
	return weights
}

// focusOn returns the weights of n sizes while the focus is on one of them.
func focusOn(n, size int) []float64 {
	weights := make([]float64, n)
	if size == 0 {
		weights[0] = 1
		return weights
	}
	for i := range size {
		weights[i] = (1 - focusShare) / float64(size)
	}
	weights[size] = focusShare
	return weights
}

// NextSize returns the index of the size that the next generation plays: the one that will be furthest behind its share
// of the work. behind says how far each is behind now, weights how the work divides, and work what a generation on each
// does, see [Work]. Of equal sizes it takes the largest.
func NextSize(behind, weights []float64, work []int) (next int) {
	most := math.Inf(-1)
	for i, w := range weights {
		if b := behind[i] + w*float64(work[i]); b >= most {
			next, most = i, b
		}
	}
	return next
}

// Plies returns the number of plies by which a generation on the board of game advances each game in progress: as many
// as cost what the plan's plies cost on the board of target, but at most a few games.
func Plies(p *rundir.Plan, target, game *env.Game) int {
	if game == target {
		return p.PliesPerGeneration
	}
	same := float64(p.PliesPerGeneration) * float64(target.Tensor.Cells()) / float64(game.Tensor.Cells())
	return max(p.PliesPerGeneration, min(int(math.Round(same)), mostGames*game.UsualPlies))
}

// Work returns the work, in positions times cells, of a generation on the board of game.
func Work(p *rundir.Plan, target, game *env.Game) int {
	return p.ParallelGames * Plies(p, target, game) * game.Tensor.Cells()
}

// ExpectedPositions returns the number of positions that a run of the games, the last of which is the target, plays in
// its first n generations.
func ExpectedPositions(p *rundir.Plan, games []*env.Game, n int) int {
	target, total := games[len(games)-1], 0.0
	for g := range n {
		positions, generations := 0.0, 0.0 // for one unit of work
		for i, w := range SizeWeights(len(games), Share(p, g+1)) {
			positions += w / float64(games[i].Tensor.Cells())
			generations += w / float64(Work(p, target, games[i]))
		}
		total += positions / generations
	}
	return int(math.Round(total))
}

// PositionsShare is the share of its positions that a run of the games has played in n generations, the given share of
// its plan: on small boards, which come first, the same work is more positions.
func PositionsShare(p *rundir.Plan, games []*env.Game, n int, share float64) float64 {
	if len(games) == 1 {
		return share
	}
	return float64(ExpectedPositions(p, games, n)) / float64(ExpectedPositions(p, games, int(math.Round(float64(n)/share))))
}
