package match

import (
	"slices"

	"ludus/env"
)

// Result is the outcome of a match for agent A. A game is won by the higher goal.
//
// Between two agents that do not draw their moves ([agent.Spec.Stochastic]), a pair of games of one opening that repeats an earlier pair
// of the match, move for move, tells nothing that was not known. It counts among the games, but not as evidence: Low, High,
// their Elo, Pentanomial, SeatPairs and SPRT leave it out. Where the seats are fixed, so does a game. Of agents that draw
// their moves every pair is a new draw and counts, or what they play most would weigh least.
type Result struct {
	Score    float64 `json:"score"` // (wins + draws / 2) / games
	Low      float64 `json:"low"`   // 95 % interval of Score over opening pairs; see the package's interval
	High     float64 `json:"high"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Games    int     `json:"games"`
	GoalMean float64 `json:"goal_mean"` // of A's goals, 0 to 100
	Pairs    int     `json:"pairs"`     // openings played, each time that one was
	Repeats  int     `json:"repeats"`   // pairs that are no evidence, since they repeat an earlier one
	AsFirst  Tally   `json:"as_first"`  // games in which A moved first
	AsSecond Tally   `json:"as_second"`
	Distinct int     `json:"distinct"` // different sequences of moves among the games
	Plies    float64 `json:"plies"`    // mean length of a game
	Seconds  float64 `json:"seconds"`
	Elo      float64 `json:"elo"`     // of Score, with the 95 % interval of Low and High; within MaxElo
	EloLow   float64 `json:"elo_low"` // see Elo
	EloHigh  float64 `json:"elo_high"`
	// Balanced says that the openings were chosen: neither side is lost, but for Unsolved of them, of which the solver
	// could not tell. Otherwise they are random; and Lost of them stand for the discovery that no balanced one was found.
	Balanced bool `json:"balanced"`
	Unsolved int  `json:"unsolved,omitempty"`
	Lost     int  `json:"lost,omitempty"`
	// Pentanomial counts the openings played from both sides by A's points from their two games: 0, 1/2, 1, 3/2, 2; without
	// the repeats.
	Pentanomial [5]int `json:"pentanomial"`
	SeatPairs   int    `json:"seat_pairs"` // openings of which the same seat won both games
	Duplicates  int    `json:"duplicates"` // games that repeat an earlier one move for move: Games - Distinct
	// SPRT is the sequential test, if the match has one. Once it is decided, or given up, the games that were played beyond
	// it are left out of the result.
	SPRT SPRTResult `json:"sprt,omitzero"`
}

// Tally counts games by their result for A.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// result sums up the games that are finished, in their order.
func (m *Config) result(games []*played) Result {
	var r Result
	var scores []float64 // mean of each opening's games
	distinct, pairs := make(map[string]bool), make(repertoire)
	verdicts := make(map[verdict]int)
	size := m.perOpening()
	for i := 0; i < len(games); i += size {
		sum, played := 0.0, games[i:min(i+size, len(games))]
		played = slices.DeleteFunc(slices.Clone(played), isMissing)
		if len(played) == 0 {
			continue
		}
		for _, g := range played {
			sum += r.add(g)
			distinct[string(key(g.moves))] = true
		}
		r.Pairs++
		verdicts[played[0].opening.verdict]++
		if !m.draws() && pairs.again(played) {
			r.Repeats++
			continue
		}
		scores = append(scores, sum/float64(len(played)))
		if len(played) == 2 {
			r.Pentanomial[int(2*sum)]++
			r.SeatPairs += truth(sum == 1 && played[0].score() != 0.5)
		}
	}
	r.Distinct, r.Duplicates = len(distinct), r.Games-len(distinct)
	r.Balanced = verdicts[level] > 0 && verdicts[unasked]+verdicts[lost] == 0
	r.Lost = verdicts[lost]
	if r.Balanced {
		r.Unsolved = verdicts[unsolved]
	}
	r.average(scores)
	return r
}

func isMissing(g *played) bool { return g == nil }

// average turns sums into means; scores are those of the pairs that are evidence.
func (r *Result) average(scores []float64) {
	r.Low, r.High = interval(scores)
	if r.Games > 0 {
		n := float64(r.Games)
		r.Score = (float64(r.Wins) + float64(r.Draws)/2) / n
		r.GoalMean /= n
		r.Plies /= n
		r.Low, r.High = min(r.Low, r.Score), max(r.High, r.Score) // half-played pairs and repeats weigh differently in each
		r.Elo = Elo(r.Score)
	}
	r.EloLow, r.EloHigh = Elo(r.Low), Elo(r.High)
}

// add counts one game and returns its score; means are left as sums.
func (r *Result) add(g *played) float64 {
	tally := &r.AsSecond
	if g.first {
		tally = &r.AsFirst
	}
	r.Games++
	r.GoalMean += float64(g.goals[0])
	r.Plies += float64(len(g.moves))
	score := g.score()
	switch score {
	case 1:
		r.Wins++
		tally.Wins++
	case 0:
		r.Losses++
		tally.Losses++
	default:
		r.Draws++
		tally.Draws++
	}
	return score
}

// repertoire holds the pairs of games that were played, and their games, by their moves.
type repertoire map[string]bool

// again says whether the finished games of an opening repeat those of a pair that it was asked about before, move for
// move and seat for seat, or, where only one is finished, any such game. It adds them.
func (r repertoire) again(games []*played) bool {
	var pair []byte
	var parts []string
	for _, g := range games {
		one := append(key(g.moves), byte(truth(g.first))) // so that one game's length is odd, and two games' is even
		pair, parts = append(pair, one...), append(parts, string(one))
	}
	again := r[string(pair)]
	for _, part := range append(parts, string(pair)) {
		r[part] = true
	}
	return again
}

// key turns moves into bytes that differ where the moves do.
func key(moves []env.Action) []byte {
	b := make([]byte, 0, 2*len(moves))
	for _, a := range moves {
		b = append(b, byte(a), byte(a>>8))
	}
	return b
}
