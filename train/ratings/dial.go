package ratings

import (
	"slices"

	"ludus/train/agent"
	"ludus/train/rundir"
)

// AddStrengths adds the strengths of a dial ([agent.Strengths]) of a checkpoint that is in the pool and that the run keeps.
// It returns their indices, weakest first. Ratings that [Pool.Write] writes then include the dial. The pool's checkpoints
// must have [agent.DefaultSimulations].
func (p *Pool) AddStrengths(generation int) []int {
	list := agent.Strengths()
	indices := make([]int, len(list))
	for k, s := range slices.Backward(list) { // strongest first: next to the checkpoints, for connectingPair
		name := rundir.StrengthName(generation, s)
		if _, ok := p.index[name]; !ok {
			p.addStrength(generation, s, true)
		}
		indices[k] = p.index[name]
	}
	return indices
}

// addStrength adds a strength of a checkpoint. It can play if the run keeps the checkpoint.
func (p *Pool) addStrength(generation int, s agent.Strength, kept bool) {
	a := poolAgent{name: rundir.StrengthName(generation, s), generation: generation, strength: &s}
	if kept {
		a.factory = agent.NewFactory(p.game, s.Spec(agent.CheckpointOf(p.dir, generation)), rundir.LoadWeights)
	}
	p.addAgent(a)
}

// Dial returns the dial of agents that play with the strengths of one network, in the order of [agent.Strengths].
func (p *Pool) Dial(indices []int) agent.Dial {
	f := p.fit()
	var rated []agent.Strength
	for k, s := range agent.Strengths() {
		if i := indices[k]; f.rated[i] {
			rated = append(rated, p.rated(f, i, s))
		}
	}
	return agent.NewDial(rated)
}

// rated returns a strength with the rating of agent i.
func (p *Pool) rated(f *fit, i int, s agent.Strength) agent.Strength {
	low, high := f.interval(i)
	s.Rating, s.Low, s.High = tenths(f.elo(i)), tenths(low), tenths(high)
	return s
}

// newestDial returns the dial of the newest checkpoint that has rated strengths; nil if there is none.
func (p *Pool) newestDial(f *fit) *rundir.Dial {
	newest, byStrength := -1, make(map[agent.Strength]int)
	for i := range p.agents {
		a := &p.agents[i]
		if a.strength == nil || !f.rated[i] || a.generation < newest || p.simulations != agent.DefaultSimulations {
			continue
		}
		if a.generation > newest {
			newest = a.generation
			clear(byStrength)
		}
		byStrength[*a.strength] = i
	}
	if i, ok := p.index[rundir.CheckpointName(newest)]; ok && f.rated[i] {
		byStrength[agent.FullStrength] = i
	}
	var list []agent.Strength
	for _, s := range agent.Strengths() {
		if i, ok := byStrength[s]; ok {
			list = append(list, p.rated(f, i, s))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &rundir.Dial{Generation: newest, Strengths: agent.NewDial(list)}
}

// fixedCosts estimates each agent's seconds per game from its simulations.
func (p *Pool) fixedCosts() []float64 {
	const evaluation = 40e-6 // seconds, of a network; other agents are compared with it
	cost := make([]float64, len(p.agents))
	for i := range p.agents {
		evaluations := 0.3
		if f := p.agents[i].factory; f != nil {
			switch {
			case f.HasNetwork():
				evaluations = float64(max(f.ExpectedSimulations(), 1))
			case f.Kind == agent.MCTS:
				evaluations = float64(f.Simulations) / 50
			case f.Kind == agent.AlphaBeta:
				evaluations = float64(f.Depth * f.Depth)
			}
		}
		cost[i] = evaluation * evaluations * float64(p.game.MaxPlies) / 4
	}
	return cost
}
