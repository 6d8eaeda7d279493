package arena

import (
	"slices"

	"ludus/env"
)

// Result is the outcome of a match for agent A. A game is won by the higher goal.
type Result struct {
	Score    float64 `json:"score"` // (wins + draws / 2) / games
	Low      float64 `json:"low"`   // 95 % interval of Score over opening pairs; see the package's interval
	High     float64 `json:"high"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Games    int     `json:"games"`
	GoalMean float64 `json:"goal_mean"` // of A's goals, 0 to 100
	Pairs    int     `json:"pairs"`     // openings played
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
	// Pentanomial counts the openings played from both sides by A's points from their two games: 0, 1/2, 1, 3/2, 2.
	Pentanomial [5]int `json:"pentanomial"`
	SeatPairs   int    `json:"seat_pairs"` // openings of which the same seat won both games
	Duplicates  int    `json:"duplicates"` // games that repeat an earlier one move for move: Games - Distinct
	// SPRT is the sequential test, if the match has one. Once it is decided, the games that were played beyond it are
	// left out of the result.
	SPRT SPRTResult `json:"sprt,omitzero"`
}

// Tally counts games by their result for A.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// result sums up the games that are finished, in their order.
func (m *Match) result(games []*played) Result {
	var r Result
	var scores []float64 // mean of each opening's games
	distinct := make(map[string]bool)
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
		scores = append(scores, sum/float64(len(played)))
		verdicts[played[0].opening.verdict]++
		if len(played) == 2 {
			r.Pentanomial[int(2*sum)]++
			r.SeatPairs += truth(sum == 1 && played[0].score() != 0.5)
		}
	}
	r.Pairs, r.Distinct, r.Duplicates = len(scores), len(distinct), r.Games-len(distinct)
	r.Balanced = verdicts[level] > 0 && verdicts[unasked]+verdicts[lost] == 0
	r.Lost = verdicts[lost]
	if r.Balanced {
		r.Unsolved = verdicts[unsolved]
	}
	r.average(scores)
	return r
}

func isMissing(g *played) bool { return g == nil }

// average turns sums into means, of games whose openings have the given mean scores.
func (r *Result) average(scores []float64) {
	r.Low, r.High = interval(scores)
	if r.Games > 0 {
		n := float64(r.Games)
		r.Score = (float64(r.Wins) + float64(r.Draws)/2) / n
		r.GoalMean /= n
		r.Plies /= n
		r.Low, r.High = min(r.Low, r.Score), max(r.High, r.Score) // a half-played pair weighs differently in each
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

// key turns moves into bytes that differ where the moves do.
func key(moves []env.Action) []byte {
	b := make([]byte, 0, 2*len(moves))
	for _, a := range moves {
		b = append(b, byte(a), byte(a>>8))
	}
	return b
}
