package ratings

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

// DialWithin is the usual half-width, in Elo, of the intervals of a dial's ratings.
const DialWithin = 30

// AddStrengths adds the strengths of a dial ([agent.Strengths]) for a checkpoint that can play. It returns their
// indices, weakest first; the strongest is the checkpoint itself. From then on [Pool.Write] also writes the dial. The
// pool's checkpoints must have [agent.DefaultSimulations].
func (p *Pool) AddStrengths(checkpoint int) []int {
	list, generation := agent.Strengths(), p.agents[checkpoint].generation
	indices := make([]int, len(list))
	for k, s := range slices.Backward(list) { // strongest first: next to the checkpoints, for connectingPair
		name := rundir.StrengthName(generation, s)
		if _, ok := p.index[name]; !ok {
			p.addStrength(generation, s, true) // true: it can play
		}
		indices[k] = p.index[name]
	}
	return indices
}

// addStrength adds a weakened checkpoint. It can play if the run keeps the checkpoint.
func (p *Pool) addStrength(generation int, s agent.Strength, kept bool) {
	a := poolAgent{name: rundir.StrengthName(generation, s), generation: generation, strength: &s}
	if kept {
		a.factory = agent.NewFactory(p.game, s.Spec(agent.CheckpointOf(p.dir, generation)), rundir.LoadWeights)
	}
	p.addAgent(a)
}

// Dial returns the dial of the given agents, one for each of [agent.Strengths], all with the same network.
func (p *Pool) Dial(indices []int) agent.Dial {
	return p.dial(p.fit(), func(k int, _ agent.Strength) (int, bool) { return indices[k], true })
}

// dial returns the dial of the rated strengths. find returns the index of the agent that plays with strength k of
// [agent.Strengths], if there is one.
func (p *Pool) dial(f *fit, find func(k int, s agent.Strength) (int, bool)) agent.Dial {
	var rated []agent.Strength
	for k, s := range agent.Strengths() {
		if i, ok := find(k, s); ok && f.rated[i] {
			rated = append(rated, p.rated(f, i, s))
		}
	}
	return agent.NewDial(rated)
}

// rated returns a strength with agent i's rating above the anchor, random, and its interval.
func (p *Pool) rated(f *fit, i int, s agent.Strength) agent.Strength {
	toAnchor := *f
	toAnchor.centre = make([]float64, len(p.agents))
	toAnchor.centre[0] = 1
	low, high := toAnchor.interval(i)
	zero := f.elo(0)
	s.Rating, s.Low, s.High = tenths(f.elo(i)-zero), tenths(low-zero), tenths(high-zero)
	return s
}

// dials returns the dials of the checkpoints that have rated strengths, ascending by generation.
func (p *Pool) dials(f *fit) (list []rundir.Dial) {
	if p.simulations != agent.DefaultSimulations || !f.rated[0] {
		return nil
	}
	var generations []int
	for i := range p.agents {
		if a := &p.agents[i]; a.strength != nil && f.rated[i] {
			generations = append(generations, a.generation)
		}
	}
	slices.Sort(generations)
	for _, g := range slices.Compact(generations) {
		list = append(list, rundir.Dial{Generation: g, Strengths: p.dial(f, func(_ int, s agent.Strength) (int, bool) {
			i, ok := p.index[rundir.StrengthName(g, s)]
			return i, ok
		})})
	}
	return list
}

// fixedCosts estimates each agent's seconds per game from its simulations.
func (p *Pool) fixedCosts() []float64 {
	const evaluation = 40e-6 // seconds per network evaluation, the unit for the costs of other agents
	cost := make([]float64, len(p.agents))
	for i := range p.agents {
		evaluations := 1.0
		if f := p.agents[i].factory; f != nil {
			switch {
			case f.HasNetwork():
				evaluations = float64(max(f.ExpectedSimulations(), 1))
			case f.Kind == agent.MCTS:
				evaluations = max(float64(f.Simulations)/20, 1) // 20 playouts cost as much as one; by game, 6 to 59
			}
		}
		cost[i] = evaluation * evaluations * float64(p.game.UsualPlies) / 4 // half of a mean game's UsualPlies/2
	}
	return cost
}

// DialOptions say how to measure or check the strength dial of a shipped network.
type DialOptions struct {
	Game    *env.Game
	Load    agent.Loader // loads zoo; the origin has the dial to check
	Balance *match.BalanceChecker
	Threads int
	// Progress, if set, is called before each match and at the end.
	Progress func(Progress)

	within float64 // interval half-width to reach, in Elo, as in Options; 0: DialWithin. Tests take less time with another
}

// Random seeds: one for matches that measure a dial, one for those that check it. Matches of runs use 0.
const (
	measureSeed = 1
	checkSeed   = 2
)

// dialBaselines are rated with the strengths of a dial, checkBaselines with the agents that check it. Both have two
// searches with random playouts: differences from these are measured larger than those between networks, so the share
// of their games sets the scale.
var (
	dialBaselines  = []string{"greedy", "mcts:200", "mcts:1000"}
	checkBaselines = []string{"mcts:100", "mcts:500"}
)

// MeasureDial rates the shipped network at each strength, and the baselines. An agent's name is its spec; zoo is the
// network at full strength.
func MeasureDial(ctx context.Context, o DialOptions) (agent.Dial, *rundir.Ratings, error) {
	var names []string
	for _, s := range agent.Strengths() {
		names = append(names, s.Spec(agent.ZooSpec().Network).String())
	}
	p, indices, err := o.rate(ctx, names, dialBaselines, measureSeed)
	if err != nil {
		return nil, nil, err
	}
	return p.Dial(indices), p.Ratings(), nil
}

// CheckedClaims is the number of agents that [CheckDial] rates.
const CheckedClaims = 5

// Claim is an agent with elo=N and its rating.
type Claim struct {
	Elo    int // the N of elo=N
	Rating rundir.Rating
}

// CheckDial rates agents with elo=N, spread evenly over a dial. Games, baselines and opponents differ from those of
// [MeasureDial]; the opponents play with temperatures and simulations between those of the dial. There are no claims if
// the dial has no effect.
func CheckDial(ctx context.Context, o DialOptions, dial agent.Dial) ([]Claim, *rundir.Ratings, error) {
	low, high, ok := dial.Range()
	if !ok {
		return nil, new(rundir.Ratings), nil
	}
	var claims []Claim
	var names []string
	for k := range CheckedClaims {
		spec := agent.ZooSpec()
		spec.Elo = low + (high-low)*(2*k+1)/(2*CheckedClaims) // middle of part k of equal parts of the dial
		claims, names = append(claims, Claim{Elo: spec.Elo}), append(names, spec.String())
	}
	targets := slices.Clone(names)
	for _, s := range betweenStrengths() { // targets, as the strengths are in MeasureDial
		targets = append(targets, s.Spec(agent.ZooSpec().Network).String())
	}
	p, _, err := o.rate(ctx, targets, checkBaselines, checkSeed)
	if err != nil {
		return nil, nil, err
	}
	table := p.Ratings()
	for k := range claims {
		i := slices.IndexFunc(table.Agents, func(r rundir.Rating) bool { return r.Agent == names[k] })
		claims[k].Rating = table.Agents[i]
	}
	return claims, table, nil
}

// betweenStrengths returns strengths between neighbours in [agent.Strengths]: the geometric means of their temperatures
// or simulations.
func betweenStrengths() (list []agent.Strength) {
	all := agent.Strengths()
	for i, b := range all[1:] {
		a := all[i]
		switch {
		case b.Simulations == 0:
			a.Temperature = math.Round(10*math.Sqrt(a.Temperature*b.Temperature)) / 10
		case a.Simulations > 0:
			a.Simulations = int(math.Sqrt(float64(a.Simulations * b.Simulations)))
		default: // a plays by the policy alone, b searches: nothing lies between
			continue
		}
		list = append(list, a)
	}
	return list
}

// rate rates agents, given by their specs, in games with each other, the anchor and opponents. It returns their
// indices. Intervals are of the difference from the anchor.
func (d *DialOptions) rate(ctx context.Context, specs, opponents []string, seed uint64) (p *Pool, indices []int, err error) {
	if p, err = poolOf(d.Game, slices.Concat([]string{Anchor}, specs, opponents), d.Load, seed, d.Balance); err != nil {
		return nil, nil, err
	}
	indices = p.Baselines()[1 : 1+len(specs)]
	return p, indices, p.Rate(ctx, Options{
		Targets: indices, Players: p.Baselines(), Dial: true, Within: cmp.Or(d.within, DialWithin), MaxGames: maxDialGames,
		Threads: d.Threads, Progress: d.Progress,
	})
}

// maxDialGames limits the games of a pool; 17,000 to 70,000 are usual.
const maxDialGames = 100_000
