package match

import (
	"fmt"
	"math"
)

// SPRT is a sequential test of whether agent A is better than B by Elo0 at most (H0) or by Elo1 at least (H1). It ends a
// match as soon as either is sure enough; between the two it may decide for either.
//
// It is the generalised sequential probability ratio test on pairs of games of one opening, counted by A's points, or on
// single games where the seats are fixed. What tells the hypotheses apart is the expected score alone:
//
//	LLR = sum_i n_i ln(p1_i / p0_i)
//
// where p0 and p1 are the likeliest distributions of the points, given the counts n, with the expected scores of Elo0 and
// Elo1. It is H1 once LLR >= ln((1-beta)/alpha), and H0 once LLR <= ln(beta/(1-alpha)). The test is made after each pair in
// the order of their numbers, so that it does not depend on which game ends first. Where pairs only
// repeat earlier ones ([Result]) they are no evidence, and the test is given up.
//
// Sources: Wald 1945 for the test; Van den Bergh, "Generalized SPRT" and "The generalized maximum likelihood ratio for the
// expectation value of a distribution" (2018 to 2020), as in chess engines' testing framework fishtest.
type SPRT struct {
	Elo0, Elo1 float64 // Elo0 < Elo1, both within 1,000
}

// Chances of a wrong decision: alpha of H1 where H0 holds, beta of H0 where H1 holds.
const (
	sprtAlpha = 0.05
	sprtBeta  = 0.05
)

// SPRTResult is how far a sequential test has come. The JSON of no test is absent.
type SPRTResult struct {
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	Alpha   float64 `json:"alpha"`
	Beta    float64 `json:"beta"`
	LLR     float64 `json:"llr"`
	Lower   float64 `json:"lower"` // of the LLR: H0
	Upper   float64 `json:"upper"` // of the LLR: H1
	Verdict string  `json:"verdict"`
	// Exhausted says that the test was given up undecided: all openings were played, and the agents only repeat themselves.
	Exhausted bool `json:"exhausted,omitempty"`
}

// Verdicts of a sequential test.
const (
	Undecided = "none"
	AcceptH0  = "H0"
	AcceptH1  = "H1"
)

// Validate reports what is wrong with the hypotheses.
func (s *SPRT) Validate() error {
	const most = 1000
	if !(-most <= s.Elo0 && s.Elo0 < s.Elo1 && s.Elo1 <= most) {
		return fmt.Errorf("the sequential test is of %g against %g; it needs two differences in Elo from -%d to %d, the lower one first",
			s.Elo0, s.Elo1, most, most)
	}
	return nil
}

// judge tests the counts of points, from the lowest to the highest.
func (s *SPRT) judge(counts []int) SPRTResult {
	r := SPRTResult{
		Elo0: s.Elo0, Elo1: s.Elo1, Alpha: sprtAlpha, Beta: sprtBeta, Verdict: Undecided,
		LLR:   logRatio(counts, Score(s.Elo0), Score(s.Elo1)),
		Lower: math.Log(sprtBeta / (1 - sprtAlpha)), Upper: math.Log((1 - sprtBeta) / sprtAlpha),
	}
	switch {
	case r.LLR <= r.Lower:
		r.Verdict = AcceptH0
	case r.LLR >= r.Upper:
		r.Verdict = AcceptH1
	}
	return r
}

// logRatio is LLR for the expected scores s0 and s1, both in (0, 1). The points' values are equally spaced from 0 to 1.
// The likeliest distribution with mean s is p_i / (1 + x (a_i - s)), p being the shares of the counts and x what makes
// the mean right. Points that did not occur count 1e-3, so that there always is such an x.
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

// tilt solves sum_i p_i (a_i - s) / (1 + x (a_i - s)) = 0 for x. The sum falls from infinity at x = -1/(1-s) to minus
// infinity at x = 1/s.
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
		next := x - f/slope // Newton's step, where it stays inside
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
