package suite

import "math"

// Estimate is a mean with its interval of 95 %.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// scaled is the estimate of a multiple.
func (e Estimate) scaled(by float64) Estimate { return Estimate{e.Value * by, e.Low * by, e.High * by} }

// cluster holds the positions of one game: their number and the sum of their scores, each in [0, 1].
type cluster struct{ n, sum float64 }

// estimate returns the mean score over all positions with Wilson's interval for the effective number of trials:
//
//	mean ± z sqrt(mean (1 - mean) / t + z²/4t²), centred on mean + z²/2t, all divided by 1 + z²/t,  z = 1.96
//	t = p (1 - p) / v,  v = G/(G-1) sum over the G games of (sum_g - p n_g)² / (N (N+2))
//
// v being the variance of the mean of N positions where those of one game may be alike in any way. p and the sum count two
// more games, of one position each, with scores of 0 and 1, which keeps t finite where all scores are equal; they are no
// trials, so that t is about N, not N+2, where positions have nothing to do with each other. Games are taken to be
// independent, which those of two agents without randomness that start with the same few plies are not quite. The interval
// lies in [0, 1] and holds the mean. Without positions it is [0, 1].
//
// Sources: Wilson 1927; Korn and Graubard, Survey Methodology 24 (1998), for the effective number of trials; Cochran,
// Sampling Techniques (1977), 6.3, for the variance of a ratio; Agresti and Coull 1998 for the added scores.
func estimate(clusters []cluster) Estimate {
	n, sum := 0.0, 0.0
	for _, c := range clusters {
		n += c.n
		sum += c.sum
	}
	if n == 0 {
		return Estimate{0, 0, 1}
	}
	mean, p := sum/n, (sum+1)/(n+2)
	squares := p*p + (1-p)*(1-p)
	for _, c := range clusters {
		squares += (c.sum - p*c.n) * (c.sum - p*c.n)
	}
	games := float64(len(clusters) + 2)
	v := games / (games - 1) * squares / ((n + 2) * n)
	t := p * (1 - p) / v

	const z = 1.959964
	scale := 1 + z*z/t
	centre := (mean + z*z/(2*t)) / scale
	half := z * math.Sqrt(max(0, mean*(1-mean))/t+z*z/(4*t*t)) / scale
	return Estimate{mean, max(0, min(centre-half, mean)), min(1, max(centre+half, mean))}
}
