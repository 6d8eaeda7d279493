package model

import (
	"math"

	"ludus/env"
)

// loss computes the losses of a part of a batch and their gradient by the output of heads.
//
// The target of a row sums to 1 and is 0 for illegal actions, so the gradient of the cross-entropy by the logits is
// weight (p - target).
type loss struct {
	actions, classes, goals int
	config                  Config
	gradient                []float32 // of the total by the output of heads; set by compute
}

func newLoss(game *env.Game, config Config) *loss {
	l := &loss{actions: game.NumActions(), classes: len(game.Classes), config: config}
	if game.GoalHead {
		l.goals = 2
	}
	l.gradient = make([]float32, partRows*l.width())
	return l
}

// width is the number of values in an output row of heads.
func (l *loss) width() int { return 2*l.actions + l.classes + l.goals }

// compute returns the losses of n samples of a batch, from row first, as shares of those of the batch, and sets l.gradient.
func (l *loss) compute(output []float32, batch *Batch, first, n int) (sum Losses) {
	clear(l.gradient)
	share := 1 / float32(batch.Size)
	for i := range n {
		row := first + i
		x, gradient := output[i*l.width():(i+1)*l.width()], l.gradient[i*l.width():(i+1)*l.width()]
		actions := func(values []float32) []float32 { return values[row*l.actions : (row+1)*l.actions] }

		weight, target := batch.PolicyWeight[row]/float32(batch.Size), actions(batch.Policy)
		sum.TargetEntropy += float64(weight) * Entropy(target)
		sum.Policy += policyLoss(x[:l.actions], target, actions(batch.LegalMask), weight, 1, gradient)
		x, gradient = x[l.actions:], gradient[l.actions:]

		weight = batch.ReplyWeight[row] / float32(batch.Size)
		sum.Reply += policyLoss(
			x[:l.actions], actions(batch.Reply), actions(batch.ReplyMask), weight, l.config.ReplyWeight, gradient)
		x, gradient = x[l.actions:], gradient[l.actions:]

		sum.Outcome += float64(share) * crossEntropyRow(x[:l.classes], batch.Outcome[row*l.classes:], nil, share, gradient)
		x, gradient = x[l.classes:], gradient[l.classes:]
		for j, v := range x {
			d := float64(v - batch.Goals[2*row+j])
			sum.Goals += float64(share) * d * d
			gradient[j] = float32(2 * l.config.GoalWeight * float64(share) * d)
		}
	}
	sum.Total = sum.Policy + l.config.ReplyWeight*sum.Reply + sum.Outcome + l.config.GoalWeight*sum.Goals
	return sum
}

// policyLoss returns the cross-entropy of a row of the policy or the reply times the row's weight, and sets gradient to its
// gradient times lossWeight. A row of weight 0 is ignored.
func policyLoss(x, target, legal []float32, weight float32, lossWeight float64, gradient []float32) float64 {
	if weight == 0 {
		return 0
	}
	return float64(weight) * crossEntropyRow(x, target, legal, float32(lossWeight)*weight, gradient)
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
