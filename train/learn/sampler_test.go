package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/model"
	"ludus/train/record"
	"ludus/train/record/recordtest"
)

// TestSampler compares samples with the states that they were made from, in the mover's frame and transformed.
func TestSampler(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		rng := rand.New(rand.NewPCG(5, 6))
		r := recordtest.Random(game, rng)
		w := window{game: game}
		w.add([]*record.Record{r}, 1)
		sampler, batch := newSampler(game), model.NewBatch(game, 1)
		state := game.NewState()
		for _, a := range r.Opening {
			state.Apply(a)
		}
		for i, p := range r.Plies {
			symmetry := rng.IntN(len(game.Symmetries))
			sampler.write(batch, 0, &w, sample{i, symmetry}, 0)
			turn, mover := &game.Symmetries[symmetry], state.Player()
			checkInputs(t, game, state, batch, turn)
			checkPolicy(t, game, state, mover, batch.LegalMask, batch.Policy, batch.PolicyWeight[0], turn, &p)
			class := slices.Index(batch.Outcome, 1)
			if class < 0 || game.ClassFor(mover, class) != r.Outcome {
				t.Errorf("%s: ply %d has class %d for %s, First's is %d", name, i, class, game.Players[mover], r.Outcome)
			}
			if batch.Goals[0] != float32(r.Goals[mover])/100 || batch.Goals[1] != float32(r.Goals[mover.Opponent()])/100 {
				t.Errorf("%s: goals %v, want the mover's first of %v", name, batch.Goals, r.Goals)
			}
			state.Apply(p.Action)
			if i+1 < len(r.Plies) {
				checkPolicy(t, game, state, mover, batch.ReplyMask, batch.Reply, batch.ReplyWeight[0], turn, &r.Plies[i+1])
			} else if batch.ReplyWeight[0] != 0 {
				t.Errorf("%s: the last ply has a reply", name)
			}
		}
	}
}

// checkInputs fails unless the batch's only sample has the tensor of state, turned.
func checkInputs(t *testing.T, game *env.Game, state env.State, batch *model.Batch, turn *env.Symmetry) {
	t.Helper()
	tensor := make([]float32, game.Tensor.Size())
	state.Encode(tensor)
	cells := game.Tensor.Cells()
	for c := range game.Tensor.C {
		for i := range cells {
			if batch.Inputs[c*cells+int(turn.Cells[i])] != tensor[c*cells+i] {
				t.Fatalf("%s: plane %d, cell %d is not where the symmetry takes it", game.Name, c, i)
			}
		}
	}
}

// checkPolicy fails unless mask and target [A] are those of ply p, whose position is state, in mover's frame and turned, and
// weight says whether it is trained on.
func checkPolicy(
	t *testing.T, game *env.Game, state env.State, mover env.Player, mask, target []float32, weight float32,
	turn *env.Symmetry, p *record.Ply,
) {
	t.Helper()
	legal := state.Legal(nil)
	policy := make([]float32, len(legal))
	p.Policy.Normalise(policy)
	sum := float32(0)
	for _, x := range mask {
		sum += x
	}
	if int(sum) != len(legal) {
		t.Fatalf("%s: %v legal actions of %d", game.Name, sum, len(legal))
	}
	for j, a := range legal {
		to := turn.Actions[game.Frame(mover)[a]]
		if mask[to] != 1 || target[to] != policy[j] {
			t.Fatalf("%s: %s is not trained on where the mover's frame has it", game.Name, game.ActionTexts[a])
		}
	}
	if (weight == 1) != p.TrainPolicy {
		t.Fatalf("%s: policy weight %v", game.Name, weight)
	}
}

// TestTargets: a proven position's class is the target of itself and of the plies before it; the search's classes are
// mixed in elsewhere.
func TestTargets(t *testing.T) {
	game := games.Must("breakthrough-6x6")
	r := recordtest.Random(game, rand.New(rand.NewPCG(7, 8)))
	loser := 1 - r.Outcome // First's class that did not come about
	at := len(r.Plies) / 2
	movers := r.Movers()
	r.Plies[at].Proven = int8(game.ClassFor(movers[at], loser))
	w := window{game: game}
	w.add([]*record.Record{r}, 1)
	g := &w.games[0]
	for i, label := range g.labels {
		if want := map[bool]int{true: at, false: -1}[i <= at]; label != want {
			t.Errorf("ply %d has the label of ply %d, want %d", i, label, want)
		}
	}
	sampler, batch := newSampler(game), model.NewBatch(game, 1)
	sampler.write(batch, 0, &w, sample{position: at}, 0.25)
	if c := batch.Outcome[game.ClassFor(g.movers[at], loser)]; c != 1 {
		t.Errorf("a proven root's class has weight %v", c)
	}
	sampler.write(batch, 0, &w, sample{position: at - 1}, 0) // the other player's ply, before the proven one
	if c := batch.Outcome[game.ClassFor(g.movers[at-1], loser)]; g.movers[at-1] == g.movers[at] || c != 1 {
		t.Errorf("the class that the next ply proves has weight %v for the player before it", c)
	}
	sampler.write(batch, 0, &w, sample{position: at + 1}, 0.25)
	q := make([]float32, 2)
	r.Plies[at+1].Classes.Normalise(q)
	for k := range q {
		want := 0.25 * q[k]
		if k == game.ClassFor(g.movers[at+1], r.Outcome) {
			want += 0.75
		}
		if math.Abs(float64(batch.Outcome[k]-want)) > 1e-6 {
			t.Errorf("class %d has weight %v, want %v", k, batch.Outcome[k], want)
		}
	}
}

// TestTargetsAfterMistakes checks the outcome targets of a game that a drawn move threw away: up to this move they are
// what the search expected before it, then the game's outcome. The search's own classes are mixed in everywhere.
func TestTargetsAfterMistakes(t *testing.T) {
	game := games.Must("breakthrough-6x6")
	r := recordtest.Random(game, rand.New(rand.NewPCG(7, 8)))
	movers, at := r.Movers(), 0
	own := make([]int, len(r.Plies)) // the outcome, as the mover's class
	for i := range r.Plies {
		own[i] = game.ClassFor(movers[i], r.Outcome)
		r.Plies[i].Classes = []uint16{0, 0}
		r.Plies[i].Classes[own[i]] = record.Unit
		if own[i] == 1 && i < len(r.Plies)/2 { // the loser's
			at = i
		}
	}
	r.Plies[at].Explored, r.Plies[at].Classes = true, []uint16{3000, 1000}
	w := window{game: game}
	w.add([]*record.Record{r}, 1)
	sampler, batch := newSampler(game), model.NewBatch(game, 1)
	for _, mix := range []float32{0, 0.25} {
		for i := range r.Plies {
			want := [2]float32{}
			want[own[i]] = 1
			switch {
			case i == at:
				want = [2]float32{0.75, 0.25}
			case i < at: // the loser had won with a probability of 0.75
				loses := 0.75 * (1 - mix)
				want[own[i]], want[1-own[i]] = 1-loses, loses
			}
			sampler.write(batch, 0, &w, sample{position: i}, float64(mix))
			for k := range want {
				if math.Abs(float64(batch.Outcome[k]-want[k])) > 1e-6 {
					t.Fatalf("ply %d of %d, mistake at %d, mix %v: target %v, want %v", i, len(r.Plies), at, mix, batch.Outcome, want)
				}
			}
		}
	}
}
