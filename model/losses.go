package model

import (
	"math"

	"ludus/env"
)

// loss is the total loss of one part of a batch, a scalar. Inputs: the output of heads; target [B, A], mask of legal
// actions [B, A] and weights of the rows [B] of the policy, and likewise of the reply; targets of outcome [B, K] and goals
// [B, 2], and weights of the rows [B] in both.
//
// The target of a row sums to 1 and is 0 for illegal actions, so the gradient of the cross-entropy by the logits is
// weight (p - target). Rows of weight 0 are ignored.
type loss struct {
	rows, actions, classes, goals int
	config                        Config

	gradient []float32 // of the total by the heads' output, computed by forward
	parts    Losses    // of the last forward
}

// newLoss returns the loss of that many rows, the size of a graph; unused rows have weight 0.
func newLoss(game *env.Game, rows int, config Config) *loss {
	l := &loss{rows: rows, actions: game.NumActions(), classes: len(game.Classes), config: config}
	if game.GoalHead {
		l.goals = 2
	}
	l.gradient = make([]float32, rows*(2*l.actions+l.classes+l.goals))
	return l
}

// forward computes the losses and, in l.gradient, the gradient of the total by the heads' output, whose rows hold the
// logits of policy and reply, those of the classes, and the goals.
func (l *loss) forward(in [][]float32, total []float32) {
	output, policy, reply, classes, goals, weight := in[0], in[1:4], in[4:7], in[7], in[8], in[9]
	clear(l.gradient)
	l.parts = Losses{}
	width := 2*l.actions + l.classes + l.goals
	for r := range l.rows {
		x, gradient := output[r*width:(r+1)*width], l.gradient[r*width:(r+1)*width]
		l.parts.Policy += l.policyRow(r, x, policy, 1, gradient) // loss weight 1
		x, gradient = x[l.actions:], gradient[l.actions:]
		l.parts.Reply += l.policyRow(r, x, reply, l.config.ReplyWeight, gradient)
		w := weight[r]
		if w == 0 {
			continue
		}
		x, gradient = x[l.actions:], gradient[l.actions:]
		// nil: all classes are possible.
		l.parts.Outcome += float64(w) * crossEntropyRow(x[:l.classes], classes[r*l.classes:], nil, w, gradient)
		x, gradient = x[l.classes:], gradient[l.classes:]
		for i, v := range x {
			d := float64(v - goals[2*r+i])
			l.parts.Goals += float64(w) * d * d
			gradient[i] = float32(2 * l.config.GoalWeight * float64(w) * d)
		}
	}
	l.parts.Total = l.parts.Policy + l.config.ReplyWeight*l.parts.Reply + l.parts.Outcome + l.config.GoalWeight*l.parts.Goals
	total[0] = float32(l.parts.Total)
}

// policyRow returns the loss of row r of the policy or of the reply, times the row's weight, and writes its gradient,
// times lossWeight, to gradient. x and gradient begin with the row's logits; targets are the target, the mask and the
// row weights of the whole batch.
func (l *loss) policyRow(r int, x []float32, targets [][]float32, lossWeight float64, gradient []float32) float64 {
	w := targets[2][r]
	if w == 0 {
		return 0
	}
	row := func(x []float32) []float32 { return x[r*l.actions : (r+1)*l.actions] }
	return float64(w) * crossEntropyRow(x[:l.actions], row(targets[0]), row(targets[1]), float32(lossWeight)*w, gradient)
}

// backward scales the gradient that forward computed by that of the total.
func (l *loss) backward(_ [][]float32, _, dTotal []float32, dIn [][]float32) {
	for i, v := range l.gradient {
		dIn[0][i] = v * dTotal[0]
	}
}

// crossEntropyRow returns the cross-entropy between target and the masked softmax of the logits x
//
//	p[i] = legal[i] exp(x[i]) / sum over j of legal[j] exp(x[j])
//
// and sets gradient to weight times its gradient by x for legal actions. legal nil means all are legal.
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
