package recordtest

import (
	"math/rand/v2"

	"ludus/env"
	"ludus/train/record"
)

// Random plays a game at random, with an opening of two moves, and makes up what a search would have found: quantised
// distributions that need not sum to 1.
func Random(game *env.Game, rng *rand.Rand) *record.Record {
	r := &record.Record{Game: game}
	state := game.NewState()
	shares := func(n int) (s record.Shares) {
		for range n {
			s = append(s, uint16(1+rng.IntN(1000)))
		}
		return s
	}
	var legal []env.Action
	for i := 0; !state.Done(); i++ {
		legal = state.Legal(legal[:0])
		a := legal[rng.IntN(len(legal))]
		if i < 2 {
			r.Opening = append(r.Opening, a)
		} else {
			p := record.Ply{Action: a, TrainPolicy: rng.IntN(3) > 0, Proven: -1}
			p.Policy, p.Classes = shares(len(legal)), shares(len(game.Classes))
			r.Plies = append(r.Plies, p)
		}
		state.Apply(a)
	}
	r.Done, r.Outcome, r.Goals = true, state.Outcome(), state.Goals()
	return r
}

// Message returns a message of n games as a worker might send them, for the run "run": random ones whose distributions
// have one entry.
func Message(game *env.Game, rng *rand.Rand, n int) *record.Message {
	m := &record.Message{Run: "run", Process: "w", Threads: 1}
	for range n {
		r := Random(game, rng)
		for i := range r.Plies {
			for _, s := range []record.Shares{r.Plies[i].Policy, r.Plies[i].Classes} {
				clear(s)
				s[rng.IntN(len(s))] = record.Unit
			}
		}
		m.Records = append(m.Records, r)
	}
	return m
}
