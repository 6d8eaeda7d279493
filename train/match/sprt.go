package match

import (
	"fmt"
	"math"
)

// SPRT is a sequential probability ratio test of whether agent A is stronger than B by at most Elo0 (H0) or by at least
// Elo1 (H1). It ends a match as soon as the games support one hypothesis well enough. If the truth lies between, it may
// decide for either.
//
// It is the generalised test on pairs of games of one opening, counted by A's points:
//
//	LLR = sum_i n_i ln(p1_i / p0_i)
//
// n_i are the counts; p0 and p1 are the most likely distributions of points, given the counts, whose expected scores
// are those of Elo0 and Elo1. The test decides for H1 at LLR >= ln((1-beta)/alpha) and for H0 at LLR <=
// ln(beta/(1-alpha)). It runs after each complete pair, in the order of their numbers, so it does not depend on which
// game ends first. It gives up once a pair repeats an earlier one ([Result]).
//
// Sources: Wald 1945 for the test; Van den Bergh, "Generalized SPRT" and "The generalized maximum likelihood ratio for
// the expectation value of a distribution" (2018 to 2020), as used by fishtest.
type SPRT struct {
	Elo0, Elo1 float64 // Elo0 < Elo1, both within ±1,000
}

// Error probabilities of the test: alpha for accepting H1 when H0 is true, beta for accepting H0 when H1 is true.
const (
	sprtAlpha = 0.05
	sprtBeta  = 0.05
)

// SPRTResult is the state of a sequential test. It is zero, and absent in JSON, if there is no test.
type SPRTResult struct {
	Elo0     float64 `json:"elo0"`
	Elo1     float64 `json:"elo1"`
	Alpha    float64 `json:"alpha"`
	Beta     float64 `json:"beta"`
	LLR      float64 `json:"llr"`
	Lower    float64 `json:"lower"` // LLR at which H0 is accepted
	Upper    float64 `json:"upper"` // LLR at which H1 is accepted
	Decision string  `json:"decision"`
	// Exhausted means that the test gave up: all openings were played, and the agents only repeat their games.
	Exhausted bool `json:"exhausted,omitempty"`
}

// Decisions of a sequential test.
const (
	Undecided = "none"
	AcceptH0  = "H0"
	AcceptH1  = "H1"
)

// Validate returns an error if the hypotheses are out of range or in the wrong order.
func (s *SPRT) Validate() error {
	const most = 1000
	if !(-most <= s.Elo0 && s.Elo0 < s.Elo1 && s.Elo1 <= most) {
		return fmt.Errorf("the sequential test is of %g against %g; it needs two differences in Elo from -%d to %d, the lower one first",
			s.Elo0, s.Elo1, most, most)
	}
	return nil
}

// test returns the state of the SPRT. counts[i] is the number of pairs in which A scored i half points.
func (s *SPRT) test(counts []int) SPRTResult {
	r := SPRTResult{
		Elo0: s.Elo0, Elo1: s.Elo1, Alpha: sprtAlpha, Beta: sprtBeta, Decision: Undecided,
		LLR:   logRatio(counts, scoreOf(s.Elo0), scoreOf(s.Elo1)),
		Lower: math.Log(sprtBeta / (1 - sprtAlpha)), Upper: math.Log((1 - sprtBeta) / sprtAlpha),
	}
	switch {
	case r.LLR <= r.Lower:
		r.Decision = AcceptH0
	case r.LLR >= r.Upper:
		r.Decision = AcceptH1
	}
	return r
}

// logRatio is the LLR of the expected scores s1 against s0, both in (0, 1), given counts of outcomes whose scores are
// equally spaced from 0 to 1. The maximum-likelihood distribution with mean score s is p_i / (1 + x (a_i - s)); [tilt]
// explains it and finds x. Outcomes that did not occur count 1e-3, so an x always exists.
func logRatio(counts []int, s0, s1 float64) float64 {
	shares := make([]float64, len(counts))
	n := 0.0
	for i, c := range counts {
		shares[i] = max(float64(c), 1e-3)
		n += shares[i]
	}
	if n < 1 {
		return 0
	}
	for i := range shares {
		shares[i] /= n
	}
	x0, x1 := tilt(shares, s0), tilt(shares, s1)
	sum := 0.0
	for i, p := range shares {
		a := float64(i) / float64(len(shares)-1)
		sum += p * math.Log((1+x0*(a-s0))/(1+x1*(a-s1)))
	}
	return n * sum
}

// tilt returns the multiplier x of the maximum-likelihood distribution with mean score s: p_i = shares[i] is the
// observed share of outcome i, of n, and a_i = i/(n-1) its score. It solves sum_i p_i (a_i - s) / (1 + x (a_i - s)) = 0
// by Newton's method, safeguarded by bisection. The sum falls from infinity at x = -1/(1-s) to minus infinity at 1/s.
func tilt(shares []float64, s float64) float64 {
	low, high := -1/(1-s), 1/s
	x := 0.0
	for range 100 {
		f, slope := 0.0, 0.0
		for i, p := range shares {
			d := float64(i)/float64(len(shares)-1) - s
			q := d / (1 + x*d)
			f += p * q
			slope -= p * q * q
		}
		if f > 0 {
			low = x
		} else {
			high = x
		}
		next := x - f/slope
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-x) < 1e-12 {
			return next
		}
		x = next
	}
	return x
}
