package model

import "ludus/env"

// Batch holds training samples, each in the frame of its player to move. The caller owns it; a step does not change it.
type Batch struct {
	Game *env.Game
	Size int // B, at least 1

	Inputs       []float32 // [B, C, H, W], as env.State encodes
	LegalMask    []float32 // [B, A]: 1 for legal actions, else 0; at least one per row
	Policy       []float32 // [B, A]: policy target, 0 for illegal actions; a row sums to 1
	PolicyWeight []float32 // [B]: weight of the row's policy loss, usually 1 or 0
	ReplyMask    []float32 // [B, A]: 1 for the legal actions after the sample's move, else 0; in the sample's frame
	Reply        []float32 // [B, A]: policy target after the sample's move, like Policy; in the sample's frame
	ReplyWeight  []float32 // [B]: weight of the row's reply loss; 0 if there is no target: mask and target are ignored
	Outcome      []float32 // [B, K]: outcome target over the classes; a row sums to 1
	Goals        []float32 // [B, 2]: goals target, goals / 100, the mover's first; used if the game has a goal head
}

// array is one of a batch's arrays, with that many values per sample.
type array struct {
	values *[]float32
	width  int
}

// arrays lists the arrays of a batch.
func (b *Batch) arrays() [9]array {
	game, actions := b.Game, b.Game.NumActions()
	return [...]array{
		{&b.Inputs, game.Tensor.Size()},
		{&b.LegalMask, actions}, {&b.Policy, actions}, {&b.PolicyWeight, 1},
		{&b.ReplyMask, actions}, {&b.Reply, actions}, {&b.ReplyWeight, 1},
		{&b.Outcome, len(game.Classes)}, {&b.Goals, 2},
	}
}

// NewBatch returns a zeroed batch for size samples of game.
func NewBatch(game *env.Game, size int) *Batch {
	b := &Batch{Game: game, Size: size}
	for _, a := range b.arrays() {
		*a.values = make([]float32, size*a.width)
	}
	return b
}

// Losses are the losses of a batch, each a mean over its rows. Cross-entropies are in nats.
type Losses struct {
	Policy  float64 // cross-entropy over the legal actions, times PolicyWeight
	Reply   float64 // cross-entropy over the legal actions after the sample's move, times ReplyWeight
	Outcome float64 // cross-entropy over the outcome classes
	Goals   float64 // sum of both squared errors of goals / 100; 0 without a goal head
	Total   float64 // Policy + Config.ReplyWeight Reply + Outcome + Config.GoalWeight Goals, which training minimises
}

func (l *Losses) add(o Losses) {
	l.Policy += o.Policy
	l.Reply += o.Reply
	l.Outcome += o.Outcome
	l.Goals += o.Goals
	l.Total += o.Total
}
