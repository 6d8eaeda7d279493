package model

import "ludus/env"

// Batch is a set of training samples, each in its mover's frame. The caller owns it; a step does not change it.
type Batch struct {
	Size int // B

	Inputs       []float32 // [B, C, H, W], as env.State encodes
	LegalMask    []float32 // [B, A]: 1 for a legal action, else 0; at least one a row
	Policy       []float32 // [B, A]: target, 0 for illegal actions; a row sums to 1
	PolicyWeight []float32 // [B]: weight of the row's policy loss, usually 1 or 0
	Outcome      []float32 // [B, K]: target of the outcome; a row sums to 1
	Goals        []float32 // [B, 2]: both goals / 100, the mover's first; used by games with a goal head
}

// NewBatch returns a batch of zeros for size samples of game.
func NewBatch(game *env.Game, size int) *Batch {
	return &Batch{
		Size:         size,
		Inputs:       make([]float32, size*game.Tensor.Size()),
		LegalMask:    make([]float32, size*game.NumActions()),
		Policy:       make([]float32, size*game.NumActions()),
		PolicyWeight: make([]float32, size),
		Outcome:      make([]float32, size*len(game.Classes)),
		Goals:        make([]float32, size*2),
	}
}

// fits reports whether every array has the size that game asks for.
func (b *Batch) fits(game *env.Game) bool {
	return b.Size > 0 && len(b.Inputs) == b.Size*game.Tensor.Size() && len(b.LegalMask) == b.Size*game.NumActions() &&
		len(b.Policy) == b.Size*game.NumActions() && len(b.PolicyWeight) == b.Size &&
		len(b.Outcome) == b.Size*len(game.Classes) && len(b.Goals) == b.Size*2
}

// Losses are means over a batch: sums over its rows, divided by their number.
type Losses struct {
	Policy        float64 // PolicyWeight times the cross-entropy over the legal actions, in nats
	TargetEntropy float64 // PolicyWeight times the entropy of the policy's target, below which Policy cannot fall
	Outcome       float64 // cross-entropy over the classes, in nats
	Goals         float64 // sum of the two squared errors of the goals / 100; 0 without a goal head
	Total         float64 // Policy + Outcome + Config.GoalWeight Goals: what training minimises
}

func (l *Losses) add(o Losses) {
	l.Policy += o.Policy
	l.TargetEntropy += o.TargetEntropy
	l.Outcome += o.Outcome
	l.Goals += o.Goals
	l.Total += o.Total
}
