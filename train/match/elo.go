package match

import (
	"fmt"
	"math"
)

// MaxElo bounds the Elo differences that are reported. It corresponds to a score within 1e-6 of 0 or 1, about half a game
// of the longest match.
const MaxElo = 2400

// eloOf is the difference in Elo that corresponds to a score: 400 log10(score / (1 - score)), within ±MaxElo. Source:
// Elo, The Rating of Chessplayers, Past and Present (1978), the logistic form.
func eloOf(score float64) float64 {
	if score <= 0 {
		return -MaxElo
	}
	return max(-MaxElo, min(MaxElo, 400*math.Log10(score/(1-score))))
}

// UnknownElo stands for an Elo difference about which the games say nothing.
const UnknownElo = "unknown"

// EloText formats the Elo difference and its interval. With a score of 0 or 1 only one end of the interval is finite; that
// end is shown if it tells who is stronger.
func (r *Result) EloText() string {
	switch {
	case r.Games == 0, r.Score == 0 && r.EloHigh >= 0, r.Score == 1 && r.EloLow <= 0:
		return UnknownElo
	case r.Score == 0:
		return fmt.Sprintf("below %+.0f", r.EloHigh)
	case r.Score == 1:
		return fmt.Sprintf("above %+.0f", r.EloLow)
	}
	return fmt.Sprintf("%+.0f (%+.0f to %+.0f)", r.Elo, r.EloLow, r.EloHigh)
}
