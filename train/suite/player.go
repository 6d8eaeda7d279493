package suite

import (
	"context"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/agent"
	"ludus/train/seed"
)

const (
	tableBytes = 32 << 20 // of a solver's table, at most
	nodeBytes  = 256      // of it, for each node that a position may take
	settled    = 2        // plies of agents after a random opening, before a position counts as theirs
	spare      = 2        // positions that a game offers beyond those that may be taken of it
	nearEnd    = 5        // plies before the end of a game in which positions are easy, or less where games are short
	nearGames  = 8        // one game in so many offers those
	nearNodes  = 8        // the solver's limit there is one in so many nodes
	probes     = 64       // random games that tell how long an opening may be
)

// offer is a position that a game offers for the suite.
type offer struct {
	position Position
	identity identity
}

// player plays games and works out their positions, one goroutine's.
type player struct {
	game    *env.Game
	seed    uint64
	nodes   int
	offered int              // positions that a game offers at most
	longest int              // the longest random opening
	near    int              // plies before the end in which positions are easy
	agents  [2][]agent.Agent // each of the agents for either seat
	uct     agent.Agent
	states  []env.State // by ply
	legal   []env.Action
	spent   int // nodes, of the last game
}

func newPlayer(o *Options) (*player, error) {
	p := &player{game: o.Game, seed: o.Seed, nodes: o.Nodes, offered: o.PerGame + spare, longest: longestOpening(o.Game)}
	p.near = min(nearEnd, p.longest)
	for seat := range p.agents {
		for _, factory := range o.Agents {
			agent, err := factory.New(0)
			if err != nil {
				return nil, err
			}
			p.agents[seat] = append(p.agents[seat], agent)
		}
	}
	var err error
	p.uct, err = agent.NewFactory(o.Game, agent.Spec{Kind: agent.MCTS, Simulations: Playouts}, nil).New(0)
	return p, err
}

// longestOpening is a quarter of the mean length of random games, and at least 2.
func longestOpening(game *env.Game) int {
	source, plies := seed.New(0, "suite probe", 0), 0
	for range probes {
		plies += env.Playout(game.NewState(), source)
	}
	return max(2, plies/probes/4)
}

// sources say how games are played, one after the other.
var sources = [8]Source{Agents, Mixed, Agents, Mixed, Agents, Random, Agents, Mixed}

// play plays the game of the given number, solves it backwards and returns what it offers, the most wanted first: not nil,
// also where that is nothing.
func (p *player) play(ctx context.Context, number int) ([]offer, error) {
	rng := rand.New(seed.New(p.seed, "suite game", number))
	source := sources[number%len(sources)]
	moves, from, err := p.moves(ctx, rng, source)
	if err != nil {
		return nil, err
	}
	positions, err := p.solve(ctx, moves, from)
	if err != nil {
		return nil, err
	}
	if number/len(sources)%nearGames > 0 {
		positions = slices.DeleteFunc(positions, func(q Position) bool { return q.ToGo <= p.near })
	}
	slices.Reverse(positions)
	offers := []offer{}
	for len(positions) > 0 && len(offers) < p.offered {
		i := 0 // the earliest first, then others, rather early than late
		if u := rng.Float64(); len(offers) > 0 {
			i = int(u * u * float64(len(positions)))
		}
		position := positions[i]
		positions = slices.Delete(positions, i, i+1)
		state := p.states[len(position.Moves)]
		position.Number, position.Source = number, source
		if position.UCT, err = p.ask(ctx, rng.Uint64(), state, position.Values); err != nil {
			return nil, err
		}
		offers = append(offers, offer{position, identify(p.game, state)})
	}
	return offers, nil
}

// moves plays a game and returns its moves and the first ply whose position counts. p.states[i] is the state before
// move i.
func (p *player) moves(ctx context.Context, rng *rand.Rand, source Source) (moves []env.Action, from int, err error) {
	opening, chance := 0, 0.0 // plies played at random, and how likely later ones are
	switch source {
	case Random:
		chance = 1
	case Mixed:
		chance = 0.05 + 0.45*rng.Float64()
	case Agents:
		opening = rng.IntN(p.longest + 1)
		from = opening + settled
	}
	var seats [2]agent.Agent
	for seat, agents := range p.agents {
		seats[seat] = agents[rng.IntN(len(agents))]
		seats[seat].Reset(rng.Uint64())
	}
	for ply := 0; ; ply++ {
		state := p.state(ply)
		if ply == 0 {
			state.CopyFrom(p.game.NewState())
		} else {
			state.CopyFrom(p.states[ply-1])
			state.Apply(moves[ply-1])
		}
		if state.Done() {
			return moves, from, nil
		}
		var move env.Action
		if ply < opening || rng.Float64() < chance {
			p.legal = state.Legal(p.legal[:0])
			move = p.legal[rng.IntN(len(p.legal))]
		} else if move, err = seats[state.Player()].Choose(ctx, state); err != nil {
			return nil, 0, err
		}
		moves = append(moves, move)
		if source != Random {
			seats[0].Observe(move)
			seats[1].Observe(move)
		}
	}
}

// state returns the state kept for a ply.
func (p *player) state(ply int) env.State {
	if ply == len(p.states) {
		p.states = append(p.states, p.game.NewState())
	}
	return p.states[ply]
}

// solve walks back from the end of a game, down to ply from, until the solver gives up. It returns the positions in
// which the choice matters, the latest first. Near the end, a position gets a share of the nodes alone: a game in which
// that is not enough would otherwise take the longest and reach no farther. The solver is new for each game, so that its
// answers depend on nothing else.
func (p *player) solve(ctx context.Context, moves []env.Action, from int) (positions []Position, err error) {
	solve := solver.New(p.game, min(tableBytes, nodeBytes*p.nodes))
	limits := solver.Limits{Stop: func() bool { return ctx.Err() != nil }}
	p.spent = 0
	for ply := len(moves) - 1; ply >= from; ply-- {
		toGo := len(moves) - ply
		if limits.Nodes = p.nodes; toGo <= p.near {
			limits.Nodes = max(1, p.nodes/nearNodes)
		}
		values := solve.SolveMoves(p.states[ply], limits, nil)
		p.spent += solve.Nodes()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if slices.Contains(values, solver.Unknown) {
			break
		}
		mover := p.states[ply].Player()
		for i, class := range values {
			values[i] = p.game.ClassFor(mover, class)
		}
		if matters(values) {
			positions = append(positions, Position{Moves: moves[:ply:ply], Values: values, ToGo: toGo})
		}
	}
	return positions, nil
}

// ask lets UCT move in a position.
func (p *player) ask(ctx context.Context, seed uint64, state env.State, values []int) (Answer, error) {
	p.uct.Reset(seed)
	move, err := p.uct.Choose(ctx, state)
	if err != nil {
		return UnknownAnswer, err
	}
	p.legal = state.Legal(p.legal[:0])
	if values[slices.Index(p.legal, move)] == slices.Min(values) {
		return Keeps, nil
	}
	return Loses, nil
}
