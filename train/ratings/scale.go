package ratings

import (
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/shipped"
)

// scale holds the agents shipped for a game: the agent itself and weakened versions. Their ratings, if known, were
// measured in many games when the agent was shipped; playing them puts the ratings of all runs of the game on one
// scale. It is empty if no agent is shipped.
type scale struct {
	digest string // of the shipped network
	agents []poolAgent
}

// known reports whether the scale has agents of known rating.
func (s *scale) known() bool { return len(s.agents) > 0 && s.agents[0].known != nil }

// weakenings is the number of weakened shipped agents of a scale. Their ratings are spread evenly between the ends of
// the strength dial, so opponents of every strength have a near agent of known rating.
const weakenings = 3

// scaleOf returns the scale of a game. Without a strength dial there are no weakened agents.
func scaleOf(game *env.Game) (s scale) {
	card, dial, spec := zoo.CardOf(game.Name), shipped.Dial(game.Name), agent.ZooSpec()
	if card == nil {
		return s
	}
	s.digest = shipped.Digest(game)
	load := shipped.FileLoader(game, zoo.Weights(game.Name), dial)
	add := func(known *zoo.Estimate) {
		factory := agent.NewFactory(game, spec, load)
		s.agents = append(s.agents, poolAgent{name: spec.String(), generation: -1, factory: factory, shipped: true, known: known})
	}
	add(nil)
	if card.Rating != nil {
		s.agents[0].known = &card.Rating.Estimate
	}
	low, high, ok := dial.Range()
	for k := weakenings; ok && k > 0; k-- { // the weakest last, beside the first checkpoint
		spec.Elo = low + (high-low)*k/(weakenings+1)
		elo := float64(spec.Elo)
		add(&zoo.Estimate{Value: elo, Low: elo, High: elo})
	}
	return s
}
