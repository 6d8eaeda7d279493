package train

import (
	"encoding/binary"
	"math"

	"ludus/env"
	"ludus/model"
)

// Metrics is one line of metrics.jsonl: a generation.
type Metrics struct {
	Generation int     `json:"generation"`
	Games      int     `json:"games"`     // finished in this generation
	AllGames   int     `json:"all_games"` // finished in the run
	Positions  int     `json:"positions"` // searched in this generation
	Steps      int     `json:"steps"`     // of the learner, in the run
	Rate       float64 `json:"rate"`      // the last step's learning rate
	Window     int     `json:"window"`    // positions to learn from

	Policy         float64 `json:"policy_loss"`           // nats
	Outcome        float64 `json:"outcome_loss"`          // nats
	Goals          float64 `json:"goals_loss,omitempty"`  // squared error
	HeldOutPolicy  float64 `json:"held_out_policy_loss"`  // on games kept from the learner, before its steps
	HeldOutOutcome float64 `json:"held_out_outcome_loss"` // likewise

	Simulations  int     `json:"simulations"`
	Evaluations  int     `json:"evaluations"` // by the network
	PlaySeconds  float64 `json:"play_seconds"`
	LearnSeconds float64 `json:"learn_seconds"`
	IdleShare    float64 `json:"idle_share"` // of the cores' time while playing

	Diversity           // of the games that ended in this generation
	InWindow  Diversity `json:"in_window"` // of all games to learn from
}

// Diversity says how varied games are.
type Diversity struct {
	MeanPlies  float64   `json:"mean_plies"`      // length of a game, its opening included
	FirstShare float64   `json:"first_share"`     // mean score of First, a draw being half
	Duplicates float64   `json:"duplicate_games"` // share of games that repeat an earlier one move for move
	Proven     float64   `json:"proven_share"`    // share of searched positions whose exact value was found
	Distinct   []float64 `json:"distinct_by_ply"` // share of searched positions at each ply of the game not seen before
	Entropy    []float64 `json:"entropy_by_ply"`  // mean entropy of the policy targets that teach, nats
}

// diversity measures finished games.
func diversity(game *env.Game, records []*record) Diversity {
	var d Diversity
	games := make(map[string]bool, len(records))
	seen := make([]map[env.Key]bool, game.MaxPlies+1)
	count := make([]float64, game.MaxPlies+1)
	entropy := make([]float64, game.MaxPlies+1)
	teach := make([]float64, game.MaxPlies+1)
	plies, searched, proven, longest := 0, 0, 0, 0
	var key []byte
	for _, r := range records {
		key = key[:0]
		state := game.NewState()
		for i, a := range r.moves() {
			if j := i - len(r.opening); j >= 0 {
				p := &r.plies[j]
				count[i]++
				longest = max(longest, i+1)
				if seen[i] == nil {
					seen[i] = make(map[env.Key]bool)
				}
				seen[i][state.Key()] = true
				if p.teaches {
					teach[i]++
					entropy[i] += entropyOf(p.policy)
				}
				if p.proven >= 0 {
					proven++
				}
				searched++
			}
			key = binary.AppendUvarint(key, uint64(a))
			state.Apply(a)
		}
		games[string(key)] = true
		plies += len(r.opening) + len(r.plies)
		d.FirstShare += score(r.goals)
	}
	if len(records) == 0 {
		return d
	}
	n := float64(len(records))
	d.MeanPlies, d.FirstShare, d.Duplicates = float64(plies)/n, d.FirstShare/n, 1-float64(len(games))/n
	d.Proven = float64(proven) / float64(max(1, searched))
	for i := range longest {
		d.Distinct = append(d.Distinct, share(float64(len(seen[i])), count[i]))
		d.Entropy = append(d.Entropy, share(entropy[i], teach[i]))
	}
	return d
}

// share is a/b rounded to three places, or 0 where nothing was counted.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Round(1000*a/b) / 1000
}

// score is First's: 1 for the higher goal, 1/2 for equal ones.
func score(goals [2]int) float64 {
	switch {
	case goals[0] > goals[1]:
		return 1
	case goals[0] < goals[1]:
		return 0
	}
	return 0.5
}

// entropyOf is the entropy of a quantised distribution in nats.
func entropyOf(q []uint16) float64 {
	p := make([]float32, len(q))
	normalise(p, q)
	h := 0.0
	for _, x := range p {
		if x > 0 {
			h -= float64(x) * math.Log(float64(x))
		}
	}
	return h
}

// setLosses copies the learner's losses.
func (m *Metrics) setLosses(taught, kept model.Losses) {
	m.Policy, m.Outcome, m.Goals = taught.Policy, taught.Outcome, taught.Goals
	m.HeldOutPolicy, m.HeldOutOutcome = kept.Policy, kept.Outcome
}
