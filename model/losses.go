package model

import (
	"math"

	"ludus/env"
)

// loss is the scalar total loss of one shard. Inputs: the output of heads, then for each row the targets of the policy
// [B, A], the outcome [B, K] and the goals [B, 2], the legal actions [B, A] of zeros and ones, and the row's weights [B]
// in the policy's and in the other losses.
//
// A target's row sums to 1 and is zero where legal is, so the gradient of a cross-entropy by its logits is weight (p -
// target). Rows of weight 0 may hold anything.
type loss struct {
	rows, actions, classes, goals int
	goalWeight                    float64

	gradient []float32 // of the total by the heads' output, left by the forward run
	parts    Losses    // of the forward run, but for the entropy
}

func newLoss(game *env.Game, rows int, goalWeight float64) *loss {
	l := &loss{rows: rows, actions: game.NumActions(), classes: len(game.Classes), goalWeight: goalWeight}
	if game.GoalHead {
		l.goals = 2
	}
	l.gradient = make([]float32, rows*(l.actions+l.classes+l.goals))
	return l
}

func (l *loss) forward(in [][]float32, total []float32) {
	output, policy, classes, goals, legal, policyWeight, weight := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
	clear(l.gradient)
	l.parts = Losses{}
	width := l.actions + l.classes + l.goals
	for r := range l.rows {
		x, gradient := output[r*width:(r+1)*width], l.gradient[r*width:(r+1)*width]
		if w := policyWeight[r]; w != 0 {
			row := func(x []float32) []float32 { return x[r*l.actions : (r+1)*l.actions] }
			l.parts.Policy += float64(w) * crossEntropyRow(x[:l.actions], row(policy), row(legal), w, gradient)
		}
		w := weight[r]
		if w == 0 {
			continue
		}
		x, gradient = x[l.actions:], gradient[l.actions:]
		l.parts.Outcome += float64(w) * crossEntropyRow(x[:l.classes], classes[r*l.classes:], nil, w, gradient)
		x, gradient = x[l.classes:], gradient[l.classes:]
		for i, v := range x {
			d := float64(v - goals[2*r+i])
			l.parts.Goals += float64(w) * d * d
			gradient[i] = float32(2 * l.goalWeight * float64(w) * d)
		}
	}
	l.parts.Total = l.parts.Policy + l.parts.Outcome + l.goalWeight*l.parts.Goals
	total[0] = float32(l.parts.Total)
}

func (l *loss) backward(_ [][]float32, _, dTotal []float32, dIn [][]float32) {
	for i, v := range l.gradient {
		dIn[0][i] = v * dTotal[0]
	}
}

// crossEntropyRow returns the cross-entropy of a row's target and
//
//	p[i] = legal[i] exp(x[i]) / sum over j of legal[j] exp(x[j])
//
// (legal nil for all ones), and fills its gradient by x, times weight, where legal.
func crossEntropyRow(x, target, legal []float32, weight float32, gradient []float32) float64 {
	top := math.Inf(-1)
	for i, v := range x {
		if legal == nil || legal[i] != 0 {
			top = max(top, float64(v))
		}
	}
	sum := 0.0
	for i, v := range x {
		if legal == nil || legal[i] != 0 {
			e := float32(math.Exp(float64(v) - top))
			gradient[i] = e
			sum += float64(e)
		}
	}
	logSum, scale, loss := top+math.Log(sum), float32(1/sum), 0.0
	for i, v := range x {
		if legal != nil && legal[i] == 0 {
			continue
		}
		loss += float64(target[i]) * (logSum - float64(v))
		gradient[i] = weight * (gradient[i]*scale - target[i])
	}
	return loss
}
