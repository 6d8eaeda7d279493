package match

import (
	"fmt"
	"math"
)

// MaxElo is the largest difference in Elo that is told. It stands for scores within 1e-6 of 0 or 1, which is about half
// a game of the longest match: a score of 1 says no more than that.
const MaxElo = 2400

// Elo is the difference in Elo that makes for an expected score, A's less B's:
//
//	400 log10(score / (1 - score)),  limited to -MaxElo and MaxElo
//
// Score is its inverse. Source: Elo, The Rating of Chessplayers, Past and Present (1978), the logistic form.
func Elo(score float64) float64 {
	if score <= 0 {
		return -MaxElo
	}
	return max(-MaxElo, min(MaxElo, 400*math.Log10(score/(1-score))))
}

// Score is the expected score, in (0, 1), of an agent that is so much better in Elo: 1 / (1 + 10^(-elo/400)).
func Score(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// EloText tells the difference in Elo with its interval; a score of 0 or 1 bounds it on one side only.
func (r *Result) EloText() string {
	switch r.Score {
	case 0:
		return fmt.Sprintf("below %+.0f", r.EloHigh)
	case 1:
		return fmt.Sprintf("above %+.0f", r.EloLow)
	}
	return fmt.Sprintf("%+.0f (%+.0f to %+.0f)", r.Elo, r.EloLow, r.EloHigh)
}
