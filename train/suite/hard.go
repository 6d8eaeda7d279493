package suite

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"ludus/env"
)

// variationsPerPly is the maximum number of a position's moves, other than the game's, after which hardCandidates looks
// for hard positions.
const variationsPerPly = 12

// variations are the positions after another move in the solved positions of a game, from firstPly to lastPly.
type variations struct {
	number            int // of the game
	source            Source
	moves             []env.Action
	firstPly, lastPly int
	tried             map[positionKey]bool // these, and the game's own
}

// hardCandidates puts the hard ones of a game's candidates first. Such positions are rare and solving a game is the
// largest part of the work, so it adds hard positions that differ from the game's by their last move: the solver's
// table knows much about them. It stops at maxCandidates hard positions, or when these took as many nodes together as
// the limit allows one position of the game.
func (p *player) hardCandidates(
	ctx context.Context, rng *rand.Rand, candidates []candidate, v variations,
) ([]candidate, error) {
	hard := 0
	v.tried = map[positionKey]bool{}
	for _, c := range candidates {
		v.tried[c.key] = true
		if c.position.UCT == UCTLoses {
			hard++
		}
	}
	mostNodes := p.nodesUsed + p.nodes
	for range variationsPerPly {
		for ply := v.firstPly; ply <= v.lastPly && hard < p.maxCandidates && p.nodesUsed < mostNodes; ply++ {
			c, ok, err := p.variation(ctx, rng, v, ply)
			if err != nil {
				return nil, err
			}
			if ok && c.position.UCT == UCTLoses {
				candidates = append(candidates, c)
				hard++
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.position.UCT, a.position.UCT) })
	return candidates, nil
}

// variation returns the position after a random move at a ply. ok is false if the move is the game's, ends the game or
// leads to a position that was tried before, is not solved or where no move loses value.
func (p *player) variation(ctx context.Context, rng *rand.Rand, v variations, ply int) (c candidate, ok bool, err error) {
	p.legal = p.states[ply].Legal(p.legal[:0])
	move := p.legal[rng.IntN(len(p.legal))]
	if move == v.moves[ply] {
		return candidate{}, false, nil
	}
	state := p.game.NewState()
	state.CopyFrom(p.states[ply])
	if state.Apply(move); state.Done() {
		return candidate{}, false, nil
	}
	key := keyOf(p.game, state)
	if v.tried[key] {
		return candidate{}, false, nil
	}
	v.tried[key] = true
	classes, err := p.solveMoves(ctx, state, max(1, p.nodes/endNodesDivisor))
	if classes == nil || !someMoveLoses(classes) {
		return candidate{}, false, err
	}
	source := v.source
	if source == AgentMoves {
		source = MixedMoves
	}
	c, err = p.newCandidate(ctx, rng, state, Position{
		Moves: append(v.moves[:ply:ply], move), Values: classes,
		GameNumber: v.number, Source: source, PliesToEnd: len(v.moves) - ply - 1,
	})
	return c, err == nil, err
}
