package stats

import (
	"fmt"
	"math"
	"strconv"
)

// Z is the half-width of a 95 % interval in standard errors: the 97.5 % quantile of the standard normal distribution.
const Z = 1.959964

// Estimate is a mean with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Scaled returns the estimate times k, which is 0 or more.
func (e Estimate) Scaled(k float64) Estimate { return Estimate{e.Value * k, e.Low * k, e.High * k} }

// Percent formats the estimate of a share in per cent with its interval, such as "7.3 % (5.2 to 10.1)".
func (e Estimate) Percent() string {
	return fmt.Sprintf("%s %% (%s to %s)", Decimal(100*e.Value, 1), Decimal(100*e.Low, 1), Decimal(100*e.High, 1))
}

// Decimal formats x with a number of digits after the point, as toFixed does in JavaScript: numbers halfway between two
// decimals are rounded away from 0, so terminal and pages show the same. fmt rounds them to the even digit.
func Decimal(x float64, digits int) string {
	units := 2 * math.Pow10(digits)
	halves := x * units
	exact := math.FMA(x, units, -halves) == 0
	if exact && math.Mod(math.Abs(halves), 2) == 1 {
		x = math.Nextafter(x, math.Copysign(math.Inf(1), x))
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// Cluster holds scores that may depend on each other, such as those of positions of one game: their number and their
// sum. Each score is in [0, 1].
type Cluster struct{ N, Sum float64 }

// Mean returns the mean of all scores with Wilson's interval for an effective number of trials t:
//
//	(mean + z²/(2t) ± z sqrt(mean (1-mean) / t + z²/(4t²))) / (1 + z²/t),  z = 1.96
//	t = p (1-p) / v,  p = (sum + 1) / (N + 2),  v = G/(G-1) sum over the G clusters of (sum_g - p n_g)² / (N (N+2))
//
// Two pseudo-clusters, one with a single score 0 and one with a single score 1, are added for p and v (and counted in
// G), but not for mean, sum and N; they keep t finite if all scores are equal. v is the variance of the mean. Clusters
// are assumed independent; scores within a cluster may correlate. If each score is its own cluster and is 0 or 1, t is
// about N. Draws and seat-swapped pairs reduce the variance, so t can exceed N. The interval lies in [0, 1] and contains
// the mean. Without scores it is [0, 1].
//
// Sources: Wilson 1927; Korn and Graubard, Survey Methodology 24 (1998), for the effective number of trials; Cochran,
// Sampling Techniques (1977), 6.3, for the variance of a ratio; Agresti and Coull 1998 for the added scores.
func Mean(clusters []Cluster) Estimate {
	n, sum := 0.0, 0.0
	for _, c := range clusters {
		n += c.N
		sum += c.Sum
	}
	if n == 0 {
		return Estimate{0, 0, 1}
	}
	mean, p := sum/n, (sum+1)/(n+2)
	squares := p*p + (1-p)*(1-p)
	for _, c := range clusters {
		squares += (c.Sum - p*c.N) * (c.Sum - p*c.N)
	}
	g := float64(len(clusters) + 2)
	v := g / (g - 1) * squares / ((n + 2) * n)
	t := p * (1 - p) / v

	scale := 1 + Z*Z/t
	centre := (mean + Z*Z/(2*t)) / scale
	half := Z * math.Sqrt(max(0, mean*(1-mean))/t+Z*Z/(4*t*t)) / scale
	return Estimate{mean, max(0, min(centre-half, mean)), min(1, max(centre+half, mean))}
}
