package model

import "math"

// adam holds the factors of one AdamW step and of the weights' moving average; see [adam.update].
type adam struct {
	gradientScale        float32 // from clipping, at most 1
	beta1, oneMinusBeta1 float32 // decay of the first moment
	beta2, oneMinusBeta2 float32 // decay of the second moment
	epsilon              float32
	stepSize             float32 // learning rate / (1 - beta1^t)
	rootScale            float32 // 1 / sqrt(1 - beta2^t)
	weightDecay          float32 // learning rate times weight decay
	averageShare         float32 // share of the new weights in the moving average
}

// update does one AdamW step on slices of equal length. With d = gradientScale g,
//
//	m = beta1 m + (1 - beta1) d        v = beta2 v + (1 - beta2) d^2
//	weights = weights - (stepSize m / (rootScale sqrt(v) + epsilon) + weightDecay weights)
//	average = average + averageShare (weights - average)
//
// It rounds products before it adds them, so all machines agree bit for bit.
func (a *adam) update(weights, g, m, v, average []float32) {
	for i, w := range weights {
		d := g[i] * a.gradientScale
		m[i] = float32(a.beta1*m[i]) + float32(a.oneMinusBeta1*d)
		v[i] = float32(a.beta2*v[i]) + float32(a.oneMinusBeta2*d*d)
		root := float32(float32(math.Sqrt(float64(v[i])))*a.rootScale) + a.epsilon
		w -= a.stepSize*m[i]/root + float32(a.weightDecay*w)
		weights[i] = w
		average[i] += float32(a.averageShare * (w - average[i]))
	}
}
