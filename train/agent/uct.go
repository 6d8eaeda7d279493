package agent

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"ludus/env"
	"ludus/train/seed"
)

// uct is Monte Carlo tree search with random playouts (UCT). A child s' of s has the score
//
//	Q(s') + c sqrt(ln N(s) / N(s')),  c = sqrt(2),
//
// where Q is the mean reward, (utility + 1) / 2, of the player to move in s. Unvisited children come first, in random
// order. A simulation expands at most one node. Once the tree has maxNodes nodes none is expanded any more: the search
// goes on, and playouts begin at the leaves of the full tree. The agent plays the most visited move and builds a new
// tree for each move. Source: Kocsis and Szepesvári 2006; Auer, Cesa-Bianchi and Fischer 2002 for c.
type uct struct {
	game        *env.Game
	simulations int // simulations per move
	maxNodes    int // node limit of a tree; the last expansion may exceed it
	source      *rand.PCG
	rng         *rand.Rand // random generator; its state is source
	nodes       []uctNode  // the root first
	path        []int32    // path of the current simulation
	state       env.State
	legal       []env.Action
}

// maxUCTNodes bounds the memory of a tree: 40 bytes per node, 670 MB. Long searches in games with hundreds of moves
// reach it.
const maxUCTNodes = 1 << 24

// uctNode is a position, reached by action from its parent. Its children are adjacent, the visited ones first.
type uctNode struct {
	sum      float64 // sum of rewards for the player to move in the parent; at the root, for its own player
	width    float64 // 1/sqrt(N), where N > 0 is the number of visits
	visits   int32
	children int32 // index of the first child; 0 before expansion
	count    int32 // number of children
	seen     int32 // number of visited children
	action   env.Action
	player   env.Player // player to move; set by expand
}

func newUCT(game *env.Game, simulations int) *uct {
	u := &uct{game: game, simulations: simulations, maxNodes: maxUCTNodes, state: game.NewState()}
	u.Reset(0)
	return u
}

// Reset implements [Agent].
func (u *uct) Reset(s uint64) {
	u.source = seed.New(s, "agent", 0)
	u.rng = rand.New(u.source)
}

// Observe implements [Agent]. No tree is kept.
func (u *uct) Observe(env.Action) {}

// Choose implements [Agent].
func (u *uct) Choose(ctx context.Context, root env.State) (env.Action, error) {
	return u.ChooseWithin(ctx, root, 0)
}

// ChooseWithin implements [Timed].
func (u *uct) ChooseWithin(ctx context.Context, root env.State, limit time.Duration) (env.Action, error) {
	if err := u.search(ctx, root, u.simulations, limit); err != nil {
		return 0, err
	}
	return u.best(), nil
}

// Analyze implements [Agent].
func (u *uct) Analyze(ctx context.Context, root env.State, simulations int) (*Analysis, error) {
	if simulations == 0 {
		simulations = u.simulations
	}
	if err := u.search(ctx, root, simulations, 0); err != nil {
		return nil, err
	}
	node := &u.nodes[0]
	a := &Analysis{Player: node.player, Simulations: simulations, Value: node.value()}
	for i := node.children; i < node.children+node.count; i++ {
		child, visits := &u.nodes[i], int(u.nodes[i].visits)
		a.Moves = append(a.Moves, MoveInfo{Action: child.action, Visits: &visits, Value: child.value(), Line: u.line(i)})
	}
	sortMoves(a.Moves, u.best())
	return a, nil
}

// value is the node's mean utility for the player to move in the parent (at the root: in the root); nil without visits.
func (u *uctNode) value() *float64 {
	if u.visits == 0 {
		return nil
	}
	v := 2*u.mean() - 1
	return &v
}

// mean is the node's mean reward, in [0, 1], for the same player as value.
func (u *uctNode) mean() float64 { return u.sum / float64(u.visits) }

// search builds a tree by simulations. A time limit above 0 may end it earlier, after at least one simulation.
func (u *uct) search(ctx context.Context, root env.State, simulations int, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	u.nodes = append(u.nodes[:0], uctNode{})
	u.state.CopyFrom(root)
	u.expand(0)
	for i := range simulations {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if limit > 0 && i > 0 && time.Now().After(deadline) {
			break
		}
		u.state.CopyFrom(root)
		u.simulate()
	}
	return ctx.Err()
}

// simulate selects an unvisited node, or a leaf of a full tree, plays randomly to the end and backs the reward up.
func (u *uct) simulate() {
	u.path = append(u.path[:0], 0)
	at := int32(0)
	for !u.state.Done() && (at == 0 || u.nodes[at].visits > 0) {
		if u.nodes[at].children == 0 {
			if len(u.nodes) >= u.maxNodes {
				break
			}
			u.expand(at)
		}
		at = u.choose(at)
		u.state.Apply(u.nodes[at].action)
		u.path = append(u.path, at)
	}
	env.Playout(u.state, u.source)
	first := (float64(u.game.Classes[u.state.Outcome()].Utility) + 1) / 2
	rewards := [2]float64{first, 1 - first}
	mover := u.nodes[0].player // whose reward the next node of the path sums up; at the root its own player
	for _, i := range u.path {
		n := &u.nodes[i]
		n.visits++
		n.sum += rewards[mover]
		n.width = 1 / math.Sqrt(float64(n.visits))
		mover = n.player
	}
}

// expand creates the children of the node at the current state.
func (u *uct) expand(at int32) {
	u.legal = u.state.Legal(u.legal[:0])
	n := &u.nodes[at]
	n.player, n.children, n.count = u.state.Player(), int32(len(u.nodes)), int32(len(u.legal))
	for _, a := range u.legal {
		u.nodes = append(u.nodes, uctNode{action: a})
	}
}

// choose returns the child with the highest score, or a random unvisited one.
func (u *uct) choose(at int32) int32 {
	n := &u.nodes[at]
	children := u.nodes[n.children : n.children+n.count]
	if n.seen < n.count {
		// Swaps a random unvisited child to the visited ones' end. Unvisited children differ only in their actions.
		next, picked := &children[n.seen], &children[n.seen+u.rng.Int32N(n.count-n.seen)]
		next.action, picked.action = picked.action, next.action
		n.seen++
		return n.children + n.seen - 1
	}
	exploration := math.Sqrt(2 * math.Log(float64(n.visits)))
	best, bestScore := 0, math.Inf(-1)
	for i := range children {
		c := &children[i]
		// Q + sqrt(2 ln N(s) / N(s')), with Q = sum / N(s')
		if score := c.width * (c.width*c.sum + exploration); score > bestScore {
			best, bestScore = i, score
		}
	}
	return n.children + int32(best)
}

// best is the root's most visited move; ties go to the highest mean reward.
func (u *uct) best() env.Action { return u.nodes[u.mostVisited(0)].action }

// mostVisited returns the most visited child of a node that has children; ties go to the highest mean reward.
func (u *uct) mostVisited(at int32) int32 {
	node := &u.nodes[at]
	best := node.children
	for i := node.children + 1; i < node.children+node.count; i++ {
		child, most := &u.nodes[i], &u.nodes[best]
		if child.visits > most.visits || child.visits == most.visits && child.visits > 0 && child.mean() > most.mean() {
			best = i
		}
	}
	return best
}

// line returns the moves from a node on that were visited most; nil if the node was not visited.
func (u *uct) line(at int32) (moves []env.Action) {
	for u.nodes[at].visits > 0 && len(moves) < lineLength {
		moves = append(moves, u.nodes[at].action)
		if u.nodes[at].count == 0 {
			break
		}
		at = u.mostVisited(at)
	}
	return moves
}
