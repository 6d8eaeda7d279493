package match

import "math"

// interval returns a 95 % confidence interval for the mean that the scores, each in [0, 1], come from. A score
// is that of a whole opening pair, since games of one opening are not independent.
//
// It is Wilson's interval with an effective number of trials:
//
//	n* = n p(1-p) / v,   (p + z²/2n* ± z sqrt(p(1-p)/n* + z²/4n*²)) / (1 + z²/n*),   z = 1.96
//
// where v is the variance of a score, so that n* = n if scores are only 0 or 1, and more where draws and swapped seats
// make scores less scattered. n* is estimated with one more score of 0 and one of 1, which keeps it finite where all
// scores are equal. The interval lies in [0, 1] and holds the scores' mean. Without scores it is [0, 1].
//
// Sources: Wilson 1927; Korn and Graubard, Survey Methodology 24 (1998), for the effective number of trials; Agresti and
// Coull 1998 for the added scores.
func interval(scores []float64) (low, high float64) {
	if len(scores) == 0 {
		return 0, 1
	}
	n, sum, squares := float64(len(scores)), 0.0, 0.0
	for _, s := range scores {
		sum += s
		squares += s * s
	}
	mean := sum / n
	p := (sum + 1) / (n + 2)
	v := (squares + 1 - (n+2)*p*p) / (n + 1)
	trials := n * p * (1 - p) / v

	const z = 1.959964
	centre := mean + z*z/(2*trials)
	half := z * math.Sqrt(mean*(1-mean)/trials+z*z/(4*trials*trials))
	scale := 1 + z*z/trials
	low, high = (centre-half)/scale, (centre+half)/scale
	return max(0, min(low, mean)), min(1, max(high, mean)) // whatever the rounding
}
