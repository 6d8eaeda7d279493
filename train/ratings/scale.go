package ratings

import (
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/shipped"
)

// scale holds the agents of known rating for a game: the shipped agent and weakened versions, measured in many games when
// the agent was shipped. Playing them puts the ratings of all runs of the game on one scale. It is empty if no agent with a
// strength dial is shipped.
type scale struct {
	digest string // of the shipped network
	agents []knownAgent
	load   agent.Loader // loads these agents
}

// knownAgent is an agent with a known rating.
type knownAgent struct {
	spec   string
	rating zoo.Estimate
}

// weakenings is the number of weakened shipped agents of a scale. Their ratings are spread evenly between the ends of the
// strength dial, so opponents of every strength have a near agent of known rating.
const weakenings = 3

// scaleOf returns the scale of a game.
func scaleOf(game *env.Game) (s scale) {
	card, dial := zoo.CardOf(game.Name), shipped.Dial(game.Name)
	low, high, ok := dial.Range()
	if !ok || card.Rating == nil {
		return scale{}
	}
	s.digest = shipped.Digest(game)
	s.load = shipped.FileLoader(game, zoo.Weights(game.Name), dial)
	s.agents = []knownAgent{{agent.ZooSpec().String(), card.Rating.Estimate}}
	for k := weakenings; k > 0; k-- { // the weakest last, beside the first checkpoint
		spec := agent.ZooSpec()
		spec.Elo = low + (high-low)*k/(weakenings+1)
		elo := float64(spec.Elo)
		s.agents = append(s.agents, knownAgent{spec.String(), zoo.Estimate{Value: elo, Low: elo, High: elo}})
	}
	return s
}
