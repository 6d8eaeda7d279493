package selfplay

import (
	"math"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/mcts"
	"ludus/train/record"
	"ludus/train/rundir"
)

// TestStarts: an eighth of the games start from the empty board, half after random plies, up to 0.6 of the mean length of a
// game, and the rest after up to 6 plies from the policy.
func TestStarts(t *testing.T) {
	game := games.Must("quad-7x7")
	settings := rundir.DefaultSettings(game)
	g := newGames(game, &settings, 1, 1)[0]
	g.meanPlies = 20
	const n = 20000
	empty, random, policy, longest, most := 0, 0, 0, 0, 0
	for range n {
		g.opened, g.policyPlies = false, 0
		g.beginGame()
		switch opening := len(g.record.Opening); {
		case g.policyPlies > 0:
			policy, most = policy+1, max(most, g.policyPlies)
		case opening > 0:
			random, longest = random+1, max(longest, opening)
		default:
			empty++
		}
	}
	for i, got := range []int{empty, random, policy} {
		if want := n * []float64{0.125, 0.5, 0.375}[i]; math.Abs(float64(got)-want) > 0.02*n {
			t.Errorf("%d games of kind %d; want about %v", got, i, want)
		}
	}
	if longest != 12 || most != 6 {
		t.Errorf("up to %d random plies and %d from the policy; want 12 and 6", longest, most)
	}
}

// TestPlyClasses plays with an evaluator that is sure of First's win, whoever moves: the classes recorded with a ply
// are those of its player to move, after a block too.
func TestPlyClasses(t *testing.T) {
	game := games.Must("quad-7x7")
	settings := rundir.DefaultSettings(game)
	settings.Simulations = 8
	g := newGames(game, &settings, 1, 1)[0]
	g.search = mcts.New(game, mcts.DefaultConfig())
	g.meanPlies, g.pliesLeft = 10, 600
	b := mcts.NewBatcher(game, firstWins{game}, 1, 0)
	for g.advance(b) {
		b.Flush()
	}
	checked, again := 0, 0
	for _, r := range append(g.finished, g.record) {
		movers := r.Movers()
		for i, p := range r.Plies {
			if len(r.Opening)+i > 3 {
				break // the end of the game is near enough to be seen, which the evaluator cannot change
			}
			checked++
			if i > 0 && movers[i] == movers[i-1] {
				again++
			}
			if first := p.Classes[game.ClassFor(movers[i], 0)]; first < record.Unit-1 {
				t.Fatalf("ply %d of %s gives First's win %d of %d", i, game.Players[movers[i]], first, record.Unit)
			}
		}
	}
	if checked < 20 || again == 0 {
		t.Fatalf("%d plies checked, %d after a block", checked, again)
	}
}

// firstWins is an evaluator that is sure of First's win.
type firstWins struct{ game *env.Game }

func (f firstWins) Evaluate(states []env.State, logits, classes, goals []float32) {
	mcts.Uniform{}.Evaluate(states, logits, classes, goals)
	clear(classes)
	for i, state := range states {
		classes[i*len(f.game.Classes)+f.game.ClassFor(state.Player(), 0)] = 1
	}
}

// leaning is an evaluator that finds another class likely in each position.
type leaning struct{ game *env.Game }

func (l leaning) Evaluate(states []env.State, logits, classes, _ []float32) {
	clear(logits)
	clear(classes)
	for i, state := range states {
		key := state.Key()
		classes[i*len(l.game.Classes)+int(key.Hash()%uint64(len(l.game.Classes)))] = 1
	}
}

// TestPlyIsTheMovePlayed compares the recorded ply with the result of the search: its move, its policy target, the
// classes that the search expects in the position, and whether another move than its best was drawn.
func TestPlyIsTheMovePlayed(t *testing.T) {
	game := games.Must("quad-7x7")
	settings := rundir.DefaultSettings(game)
	g := newGames(game, &settings, 1, 1)[0]
	g.search = mcts.New(game, mcts.DefaultConfig())
	g.explorationPlies = 4
	b := mcts.NewBatcher(game, leaning{game}, 1, 0)
	rec := g.record
	for !rec.Done {
		g.startSearch(16, g.rng)
		g.search.Run(b)
		moves := slices.Clone(g.search.Moves())
		classes := make([]float32, len(game.Classes)) // the mean over the moves
		for i, m := range moves {
			g.search.MoveClasses(g.classes, i)
			for k, share := range g.classes {
				classes[k] += m.Policy * share
			}
		}
		class, proven := g.search.Proven()
		if proven {
			clear(classes)
			classes[class] = 1
		}
		best, n := g.search.Best(), len(rec.Plies)
		g.playSearched()
		ply := &rec.Plies[n]
		i := slices.IndexFunc(moves, func(m mcts.Move) bool { return m.Action == ply.Action })
		if i < 0 || n >= 4 && ply.Action != best {
			t.Fatalf("ply %d is action %d; the search chose %d", n, ply.Action, best)
		}
		if ply.Explored != (ply.Action != best) || proven != (ply.Proven >= 0) || proven && int(ply.Proven) != class {
			t.Fatalf("ply %d is action %d, explored %v, proven class %d; the search chose %d", n, ply.Action, ply.Explored, ply.Proven, best)
		}
		var policy []float32
		for _, m := range moves {
			policy = append(policy, m.Policy)
		}
		if !slices.Equal(ply.Policy, record.Quantise(nil, policy)) || !slices.Equal(ply.Classes, record.Quantise(nil, classes)) {
			t.Fatalf("ply %d has policy %v and classes %v, want %v; move %d is %+v", n, ply.Policy, ply.Classes, classes, i, moves[i])
		}
	}
	if len(rec.Plies) < 6 {
		t.Fatalf("the game has %d plies", len(rec.Plies))
	}
}
