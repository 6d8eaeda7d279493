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
		nd, in := &t.nodes[n], t.incoming(n)
		guaranteed, prunedVisits, visitedPrior := t.worstClass(), int32(0), 0.0
		for _, e := range t.edgesOf(n) {
			_, worst := t.bounds(&e, nd.player)
			guaranteed = min(guaranteed, worst)
		}
		for i, e := range t.edgesOf(n) {
			pruned := t.pruned(&e, nd.player, guaranteed)
			if pruned {
				prunedVisits += e.visits + e.virtualVisits
			} else if e.child != none {
				visitedPrior += float64(e.prior)
			}
			if e.excluded != (pruned || n == root && e.proven()) {
				return fmt.Errorf("node %d: move %d is excluded: %v", n, i, e.excluded)
			}
			if e.child != none && t.incoming(e.child) != &t.edgesOf(n)[i] {
				return fmt.Errorf("node %d: move %d and its child are not joined", n, i)
			}
			if e.visits+e.virtualVisits > 0 && e.priorShare != float64(e.prior)/float64(1+e.visits+e.virtualVisits) {
				return fmt.Errorf("node %d: move %d has a prior share of %v", n, i, e.priorShare)
			}
			if want := nd.player.Sign() * t.completedValue(&e, 0); (e.visits > 0 || e.proven()) && e.value != want {
				return fmt.Errorf("node %d: move %d has the value %v, want %v", n, i, e.value, want)
			}
		}
		if !nd.evaluated {
			continue
		}
		if guaranteed != nd.guaranteed || prunedVisits != nd.prunedVisits || math.Abs(visitedPrior-nd.visitedPrior) > 1e-6 {
			return fmt.Errorf("node %d: guaranteed %d, pruned visits %d, visited prior %v; want %d, %d, %v",
				n, nd.guaranteed, nd.prunedVisits, nd.visitedPrior, guaranteed, prunedVisits, visitedPrior)
		}
		if st := t.summarize(n); !in.proven() && st.visits+st.virtualVisits != in.visits+in.virtualVisits-1-nd.prunedVisits {
			return fmt.Errorf("node %d: %d visits, %d of unpruned moves, %d of pruned ones", n, in.visits, st.visits, nd.prunedVisits)
		}
		if nd.hasPriors {
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
	if n == root && nd.numEdges != nd.numMoves {
		return fmt.Errorf("%d of %d moves of the root have an edge", nd.numEdges, nd.numMoves)
	}
	if unexpanded := sum(priors[nd.numEdges:]); math.Abs(unexpanded-nd.unexpandedPrior) > 1e-6*unexpanded {
		return fmt.Errorf("node %d: unexpanded prior %v, want %v", n, nd.unexpandedPrior, unexpanded)
	}
	for i := range actions {
		switch next := i - int(nd.numEdges); {
		case i > 0 && (n == root || next > 1) && actions[i] <= actions[i-1]:
			return fmt.Errorf("node %d: moves %v do not ascend", n, actions)
		case next > 0 && priors[i] > priors[nd.numEdges]:
			return fmt.Errorf("node %d: move %d is likelier than the next one", n, i)
		case next > 0 && priors[i] == priors[nd.numEdges] && actions[i] < actions[nd.numEdges]:
			return fmt.Errorf("node %d: move %d is as likely as the next one and before it", n, i)
		}
	}
	return nil
}

func TestTreeIsKeptUpToDate(t *testing.T) {
	check := func(g *env.Game, state env.State, seed int) {
		for _, cfg := range rules(1, 6) {
			s := New(g, cfg)
			s.Start(state, 100, nil)
			for !s.Done() {
				var leaves []*selectedLeaf
				for leaf := selectLeaf(s); leaf != nil; leaf = selectLeaf(s) {
					leaves = append(leaves, leaf)
				}
				if err := checkTree(&s.tree); err != nil {
					t.Fatalf("%s, position %d, %v, %d leaves: %v\nkey %x", g.Name, seed, cfg.Rule, cfg.PendingLeaves, err, state.Key())
				}
				for _, leaf := range leaves {
					leaf.backUp(hashed{g, float32(seed % 9)})
				}
			}
			if cfg.Rule == PUCT {
				s.Advance(s.Best())
				if err := checkTree(&s.tree); err != nil && !s.position.Done() {
					t.Fatalf("%s, position %d, after a move: %v\nkey %x", g.Name, seed, err, state.Key())
				}
			}
		}
	}
	for seed := range 40 {
		g := maze{actions: 2 + seed%9, classes: 2 + seed%6, plies: 3 + seed%9}.game(uint64(seed))
		check(g, g.NewState(), seed)
	}
	for _, name := range append(games.Names(), "quad(size=4,quads=3,whites=2)") {
		g := games.Must(name)
		if g.Tensor.Cells() > 64 {
			continue // a smaller board of the family is checked
		}
		for seed, state := range envtest.Positions(g, 5, 20) {
			check(g, state, seed)
		}
	}
}

func TestExplorationOfFewVisitsIsListed(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Rule = PUCT
	s := New(games.Must("quad-5x5"), cfg)
	for N := range int32(600) {
		if got, want := s.exploration(N), cfg.exploration(float64(N)); got != want {
			t.Fatalf("exploration of %d visits is %v, want %v", N, got, want)
		}
	}
}
