package suite

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/agent"
	"ludus/train/seed"
)

const (
	tableBytes      = 256 // table bytes per node of the solver's limit, as far as Options.Memory allows
	minAgentPlies   = 2   // least number of agents' plies between a random opening and a position
	spareCandidates = 2   // candidates of a game beyond PerGame, in case some are not new
	maxEndPlies     = 5   // number of last plies of a game that count as easy; fewer in short games
	endRounds       = 8   // one in endRounds rounds of games (see sources) gives candidates from the last plies
	endNodesDivisor = 8   // divides the solver's node limit in the last plies
	stopDivisor     = 4   // once a position takes 1/stopDivisor of the node limit, earlier ones are not solved
	probeGames      = 64  // number of random games played to find the length of openings
)

// candidate is a position that may be added to the suite if it is new.
type candidate struct {
	position Position
	key      positionKey
}

// player plays games and solves their positions. It belongs to one goroutine.
type player struct {
	*Options
	maxOpening int              // largest number of plies of a random opening
	endPlies   int              // number of last plies of a game that count as easy
	agents     [2][]agent.Agent // by seat and spec
	uct        agent.Agent
	exact      *solver.Solver
	states     []env.State // state before each ply of the current game
	legal      []env.Action
	nodesUsed  int // nodes that the solver visited for the current game
}

// tableBytes is the size of a thread's table of positions.
func (o *Options) tableBytes() int {
	return min(o.Memory<<20, tableBytes*min(o.Nodes, math.MaxInt/tableBytes))
}

// bytesPerThread estimates the memory of a thread: its table, and its agents for either seat.
func (o *Options) bytesPerThread() int {
	bytes := o.tableBytes()
	for _, factory := range o.Agents {
		bytes += 2 * factory.MemoryBytes()
	}
	return bytes
}

// newPlayer returns a player with its own agents, for either seat, and its own solver.
func newPlayer(o *Options) (*player, error) {
	p := &player{Options: o, maxOpening: openingPlies(o.Game), exact: solver.New(o.Game, o.tableBytes())}
	p.endPlies = min(maxEndPlies, p.maxOpening)
	for seat := range p.agents {
		for _, factory := range o.Agents {
			a, err := factory.New(0)
			if err != nil {
				return nil, err
			}
			p.agents[seat] = append(p.agents[seat], a)
		}
	}
	var err error
	p.uct, err = agent.NewFactory(o.Game, agent.Spec{Kind: agent.MCTS, Simulations: uctPlayouts}, nil).New(0)
	return p, err
}

// openingPlies returns the length of random openings: a quarter of the mean length of random games, and at least 2 plies.
func openingPlies(game *env.Game) int {
	rng, plies := seed.New(0, "suite probe", 0), 0
	for range probeGames {
		plies += env.Playout(game.NewState(), rng)
	}
	return max(2, plies/probeGames/4)
}

// sources is the cycle of ways to choose a game's moves: game i uses sources[i%8]. A cycle is called a round.
var sources = [8]gameSource{agentMoves, mixedMoves, agentMoves, mixedMoves, agentMoves, randomMoves, agentMoves, mixedMoves}

// play plays a game, solves its positions from the end backwards and returns the candidates in order of preference. The
// result is not nil, because nil stands for a game that is not played yet.
func (p *player) play(ctx context.Context, number int) ([]candidate, error) {
	rng := rand.New(seed.New(p.Seed, "suite game", number))
	source := sources[number%len(sources)]
	moves, firstPly, err := p.playMoves(ctx, rng, source)
	if err != nil {
		return nil, err
	}
	positions, err := p.solve(ctx, moves, firstPly)
	if err != nil {
		return nil, err
	}
	if number/len(sources)%endRounds > 0 { // this round leaves out positions close to the end
		positions = slices.DeleteFunc(positions, func(q Position) bool { return q.PliesToEnd <= p.endPlies })
	}
	slices.Reverse(positions)
	candidates := []candidate{}
	for len(positions) > 0 && len(candidates) < p.PerGame+spareCandidates {
		i, u := 0, rng.Float64() // the earliest position first, then random ones, more often early than late
		if len(candidates) > 0 {
			i = int(u * u * float64(len(positions)))
		}
		position := positions[i]
		positions = slices.Delete(positions, i, i+1)
		position.GameNumber, position.Source = number, source
		state := p.states[len(position.Moves)]
		if position.UCT, err = p.testUCT(ctx, rng.Uint64(), state, position.Values); err != nil {
			return nil, err
		}
		candidates = append(candidates, candidate{position, keyOf(p.Game, state)})
	}
	return candidates, nil
}

// playMoves plays a game. It returns the moves and the first ply whose position may be used, and sets p.states[i] to
// the state before move i.
func (p *player) playMoves(
	ctx context.Context, rng *rand.Rand, source gameSource,
) (moves []env.Action, firstPly int, err error) {
	opening, randomShare := 0, 0.0 // number of random plies at the start, and the probability of a random move after them
	switch source {
	case randomMoves:
		randomShare = 1
	case mixedMoves:
		randomShare = 0.05 + 0.45*rng.Float64()
	case agentMoves:
		opening = rng.IntN(p.maxOpening + 1)
		firstPly = opening + minAgentPlies
	}
	var seats [2]agent.Agent
	for seat, agents := range p.agents {
		seats[seat] = agents[rng.IntN(len(agents))]
		seats[seat].Reset(rng.Uint64())
	}
	p.states = p.states[:0]
	for state := p.Game.NewState(); !state.Done(); {
		ply := len(moves)
		p.states = append(p.states, p.Game.Copy(state))
		var move env.Action
		if ply < opening || rng.Float64() < randomShare {
			p.legal = state.Legal(p.legal[:0])
			move = p.legal[rng.IntN(len(p.legal))]
		} else if move, err = seats[state.Player()].Choose(ctx, state); err != nil {
			return nil, 0, err
		}
		moves = append(moves, move)
		state.Apply(move)
		if source != randomMoves {
			seats[0].Observe(move)
			seats[1].Observe(move)
		}
	}
	return moves, firstPly, nil
}

// solve solves the positions of a game from the end back to firstPly. It stops at a position that exceeds the node limit,
// or takes 1/stopDivisor of it, because the position before would probably exceed it. It returns the positions in which
// some move loses value, the latest first. Within endPlies of the end the limit is lower: a game that is hard to solve even
// there would cost the most time and would not be solved much further back. The solver's table starts empty, so results do
// not depend on other games.
func (p *player) solve(ctx context.Context, moves []env.Action, firstPly int) (positions []Position, err error) {
	p.exact.Clear()
	p.nodesUsed = 0
	for ply := len(moves) - 1; ply >= firstPly; ply-- {
		pliesToEnd := len(moves) - ply
		nodes := p.Nodes
		if pliesToEnd <= p.endPlies {
			nodes = max(1, nodes/endNodesDivisor)
		}
		classes, err := p.solveMoves(ctx, p.states[ply], nodes)
		if err != nil {
			return nil, err
		}
		if classes == nil {
			break
		}
		if someMoveLoses(classes) {
			positions = append(positions, Position{Moves: moves[:ply:ply], Values: classes, PliesToEnd: pliesToEnd})
		}
		if p.exact.Nodes() > p.Nodes/stopDivisor {
			break
		}
	}
	return positions, nil
}

// solveMoves returns the classes of a state's moves for the player to move, or nil if the node limit is reached.
func (p *player) solveMoves(ctx context.Context, state env.State, nodes int) (classes []int, err error) {
	limits := solver.Limits{Nodes: nodes, Stop: func() bool { return ctx.Err() != nil }}
	classes = p.exact.SolveMoves(state, limits, nil)
	p.nodesUsed += p.exact.Nodes()
	if slices.Contains(classes, solver.Unknown) {
		return nil, ctx.Err()
	}
	for i, class := range classes {
		classes[i] = p.Game.ClassFor(state.Player(), class)
	}
	return classes, ctx.Err()
}

// testUCT reports whether the move that UCT chooses keeps the position's value. classes are the exact classes of the moves.
func (p *player) testUCT(ctx context.Context, seed uint64, state env.State, classes []int) (uctOutcome, error) {
	p.uct.Reset(seed)
	move, err := p.uct.Choose(ctx, state)
	if err != nil {
		return unknownUCT, err
	}
	p.legal = state.Legal(p.legal[:0])
	if classes[slices.Index(p.legal, move)] == slices.Min(classes) { // the lowest class is best
		return uctKeeps, nil
	}
	return uctLoses, nil
}
