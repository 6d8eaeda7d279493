package arena

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
)

// uct is Monte Carlo tree search with random playouts and no knowledge but the rules. A child s' of s scores
//
//	Q(s') + c sqrt(ln N(s) / N(s')),  c = sqrt(2),
//
// Q being the mean reward, (utility + 1) / 2, of the player to move in s; unvisited children come first, in random order.
// A simulation adds one node. The move with the most visits is played; the tree is new for each move.
// Source: Kocsis and Szepesvári 2006; Auer, Cesa-Bianchi and Fischer 2002 for c.
type uct struct {
	game        *env.Game
	simulations int
	rng         *rand.Rand
	nodes       []uctNode
	path        []int32
	state       env.State
	legal       []env.Action
}

// uctNode is a position reached by action. sum is the total reward of First.
type uctNode struct {
	sum      float64
	visits   int32
	children int32 // index of the first one; 0 before expansion
	count    int32 // number of children
	action   env.Action
	player   env.Player // to move; known once visited
}

func newUCT(game *env.Game, simulations int) *uct {
	return &uct{game: game, simulations: simulations, rng: newRand(0), state: game.NewState()}
}

func (u *uct) Reset(seed uint64)  { u.rng = newRand(seed) }
func (u *uct) Observe(env.Action) {}

func (u *uct) Choose(ctx context.Context, root env.State) (env.Action, error) {
	if err := u.search(ctx, root, u.simulations); err != nil {
		return 0, err
	}
	return u.best(), nil
}

func (u *uct) Analyze(ctx context.Context, root env.State, simulations int) (*Analysis, error) {
	if simulations == 0 {
		simulations = u.simulations
	}
	if err := u.search(ctx, root, simulations); err != nil {
		return nil, err
	}
	node := &u.nodes[0]
	a := &Analysis{Player: node.player, Simulations: simulations, Value: u.value(node, node.player)}
	for i := node.children; i < node.children+node.count; i++ {
		child, visits := &u.nodes[i], int(u.nodes[i].visits)
		a.Moves = append(a.Moves, Judgement{Action: child.action, Visits: &visits, Value: u.value(child, node.player)})
	}
	sortMoves(a.Moves, u.best())
	return a, nil
}

// value is the mean utility of a node for p, nil if it was never visited.
func (u *uct) value(n *uctNode, p env.Player) *float64 {
	if n.visits == 0 {
		return nil
	}
	v := 2*n.mean(p) - 1
	return &v
}

// mean is the node's mean reward for p.
func (n *uctNode) mean(p env.Player) float64 {
	q := n.sum / float64(n.visits)
	if p == env.Second {
		q = 1 - q
	}
	return q
}

// search builds a tree of the given number of simulations.
func (u *uct) search(ctx context.Context, root env.State, simulations int) error {
	u.nodes = append(u.nodes[:0], uctNode{})
	u.state.CopyFrom(root)
	u.expand(0)
	for i := range simulations {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u.state.CopyFrom(root)
		u.simulate()
	}
	return ctx.Err()
}

// simulate selects down to a node without visits, plays on at random and backs the reward up.
func (u *uct) simulate() {
	u.path = append(u.path[:0], 0)
	at := int32(0)
	for !u.state.Done() && (at == 0 || u.nodes[at].visits > 0) {
		if u.nodes[at].children == 0 {
			u.expand(at)
		}
		at = u.choose(at)
		u.state.Apply(u.nodes[at].action)
		u.path = append(u.path, at)
	}
	for !u.state.Done() {
		u.legal = u.state.Legal(u.legal[:0])
		u.state.Apply(u.legal[u.rng.IntN(len(u.legal))])
	}
	reward := (float64(u.game.Classes[u.state.Outcome()].Utility) + 1) / 2
	for _, i := range u.path {
		u.nodes[i].visits++
		u.nodes[i].sum += reward
	}
}

// expand gives the node at the current state its children, in random order.
func (u *uct) expand(at int32) {
	u.legal = u.state.Legal(u.legal[:0])
	u.rng.Shuffle(len(u.legal), func(i, j int) { u.legal[i], u.legal[j] = u.legal[j], u.legal[i] })
	n := &u.nodes[at]
	n.player, n.children, n.count = u.state.Player(), int32(len(u.nodes)), int32(len(u.legal))
	for _, a := range u.legal {
		u.nodes = append(u.nodes, uctNode{action: a})
	}
}

// choose returns the child to visit next.
func (u *uct) choose(at int32) int32 {
	n := &u.nodes[at]
	logN := math.Log(float64(n.visits))
	best, bestScore := n.children, math.Inf(-1)
	for i := n.children; i < n.children+n.count; i++ {
		child := &u.nodes[i]
		if child.visits == 0 {
			return i
		}
		if score := child.mean(n.player) + math.Sqrt(2*logN/float64(child.visits)); score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// best is the root's most visited move, the one with the higher mean among equals.
func (u *uct) best() env.Action {
	root := &u.nodes[0]
	best := &u.nodes[root.children]
	for i := root.children + 1; i < root.children+root.count; i++ {
		child := &u.nodes[i]
		if child.visits > best.visits ||
			child.visits == best.visits && child.visits > 0 && child.mean(root.player) > best.mean(root.player) {
			best = child
		}
	}
	return best.action
}
