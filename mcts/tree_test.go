package mcts

import (
	"fmt"
	"math"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// checkTree compares what the tree keeps up to date step by step with what it stands for.
func checkTree(t *tree) error {
	for n := range t.nodes {
		n := int32(n)
		nd, in := &t.nodes[n], t.into(n)
		floor, lost, mass := t.worst(), int32(0), 0.0
		for _, e := range t.edgesOf(n) {
			_, worst := t.ranks(&e, nd.player)
			floor = min(floor, worst)
		}
		for i, e := range t.edgesOf(n) {
			live := t.live(&e, nd.player, floor)
			if !live {
				lost += e.visits + e.flight
			} else if e.child != none {
				mass += float64(e.prior)
			}
			if e.closed != (!live || n == root && e.proven()) {
				return fmt.Errorf("node %d: move %d is closed: %v", n, i, e.closed)
			}
			if e.child != none && t.into(e.child) != &t.edgesOf(n)[i] {
				return fmt.Errorf("node %d: move %d and its child are not joined", n, i)
			}
			if e.visits+e.flight > 0 && e.share != float64(e.prior)/float64(1+e.visits+e.flight) {
				return fmt.Errorf("node %d: move %d has a share of %v", n, i, e.share)
			}
			if want := nd.player.Sign() * t.completed(&e, 0); (e.visits > 0 || e.proven()) && e.value != want {
				return fmt.Errorf("node %d: move %d has the value %v, want %v", n, i, e.value, want)
			}
		}
		if !nd.evaluated {
			continue
		}
		if floor != nd.floor || lost != nd.lost || math.Abs(mass-nd.mass) > 1e-6 {
			return fmt.Errorf("node %d: floor %d, lost %d, mass %v; want %d, %d, %v", n, nd.floor, nd.lost, nd.mass, floor, lost, mass)
		}
		if st := t.standing(n); !in.proven() && st.visits+st.flight != in.visits+in.flight-1-nd.lost {
			return fmt.Errorf("node %d: %d visits, %d of live moves, %d lost", n, in.visits, st.visits, nd.lost)
		}
		if nd.weighed {
			if err := checkOrder(t, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkOrder checks which of node n's moves come first.
func checkOrder(t *tree, n int32) error {
	nd := &t.nodes[n]
	actions, priors := t.actionsOf(n), t.priorsOf(n)
	if n == root && nd.made != nd.count {
		return fmt.Errorf("%d of %d moves of the root have an edge", nd.made, nd.count)
	}
	if rest := total(priors[nd.made:]); math.Abs(rest-nd.rest) > 1e-6*rest {
		return fmt.Errorf("node %d: rest %v, want %v", n, nd.rest, rest)
	}
	for i := range actions {
		switch made := i - int(nd.made); {
		case i > 0 && (n == root || made > 1) && actions[i] <= actions[i-1]:
			return fmt.Errorf("node %d: moves %v do not ascend", n, actions)
		case made > 0 && priors[i] > priors[nd.made]:
			return fmt.Errorf("node %d: move %d is likelier than the next one", n, i)
		case made > 0 && priors[i] == priors[nd.made] && actions[i] < actions[nd.made]:
			return fmt.Errorf("node %d: move %d is as likely as the next one and before it", n, i)
		}
	}
	return nil
}

func TestTreeIsKeptUpToDate(t *testing.T) {
	check := func(g *env.Game, state env.State, seed int) {
		for _, cfg := range append(rules(1), rules(6)...) {
			s := New(g, cfg, nil)
			s.Start(state, 300, nil)
			logits, classes := make([]float32, g.NumActions()), make([]float32, len(g.Classes))
			for !s.Done() {
				var leaves []int
				for leaf, ok := s.Select(); ok; leaf, ok = s.Select() {
					leaves = append(leaves, leaf)
				}
				if err := checkTree(&s.tree); err != nil {
					t.Fatalf("%s, position %d, %v, %d leaves: %v\n%s", g.Name, seed, cfg.Rule, cfg.Leaves, err, g.Board(state))
				}
				for _, leaf := range leaves {
					hashed{g, float32(seed % 9)}.Evaluate([]env.State{s.Leaf(leaf)}, logits, classes)
					s.Backup(leaf, logits, classes)
				}
			}
			if cfg.Rule == PUCT {
				s.Advance(s.Best())
				if err := checkTree(&s.tree); err != nil && !s.position.Done() {
					t.Fatalf("%s, position %d, after a move: %v\n%s", g.Name, seed, err, g.Board(state))
				}
			}
		}
	}
	for seed := range 40 {
		g := maze{actions: 2 + seed%9, classes: 2 + seed%6, plies: 3 + seed%9}.game(uint64(seed))
		check(g, g.NewState(), seed)
	}
	for _, name := range append(games.Names(), "quad(size=4,quads=3,whites=2)") {
		g := mustGame(t, name)
		for seed, state := range envtest.Positions(g, 5, 40) {
			check(g, state, seed)
		}
	}
}

func TestBonusOfSmallNumbersIsListed(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Rule = PUCT
	s := New(mustGame(t, "quad-5x5"), cfg, nil)
	for N := range int32(600) {
		if got, want := s.bonus(N), cfg.bonus(float64(N)); got != want {
			t.Fatalf("bonus of %d is %v, want %v", N, got, want)
		}
	}
}
