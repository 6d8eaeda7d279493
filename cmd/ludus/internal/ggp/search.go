package ggp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// uct is Monte Carlo tree search for any number of roles, who may move at the same time. Each role maximises its own
// goal. It has statistics of its own moves alone in each position (decoupled UCT), and chooses the move of the highest
//
//	Q + c sqrt(ln N / n),
//
// where Q is the mean reward of the move's n visits, from 0 to 1, and N the visits of the position; unvisited moves
// come first. Random games value new positions. A player without opponents remembers the best game found and plays it.
// Source: Kocsis and Szepesvári 2006; Finnsson and Björnsson 2008.
type uct struct {
	position position // at the root
	at       position // scratch of simulate
	root     *node
	rng      *rand.Rand
	room     int     // bytes that the tree may have
	used     int     // bytes of the tree
	line     []int32 // moves of the best game found from the root, if there is one role
	best     float64 // its score; -1 without one
}

// exploration is the constant c.
const exploration = 0.7

// node is a position in the tree.
type node struct {
	visits   int
	over     bool
	scores   []float64        // by role, at the end of the game
	arms     [][]arm          // by role
	children map[string]*node // by the indices of the arms of all roles, see key
}

// arm is a legal move of a role with its statistics.
type arm struct {
	move   int32
	visits int32
	sum    float64 // of rewards
}

// Sizes of nodes for the limit of memory, in bytes.
const (
	bytesPerNode = 250
	bytesPerArm  = 16
)

// newUCT returns a search for a position; room is the memory of its tree in bytes.
func newUCT(p position, room int, rng *rand.Rand) *uct {
	return &uct{position: p.clone(), at: p.clone(), rng: rng, room: room, best: -1}
}

// expand returns a node for a position.
func (u *uct) expand(p position) *node {
	n := &node{over: p.over()}
	u.used += bytesPerNode
	if n.over {
		for _, goal := range p.goals() {
			n.scores = append(n.scores, score(goal))
		}
		return n
	}
	for role := range p.roles() {
		var arms []arm
		for _, m := range p.legal(role) {
			arms = append(arms, arm{move: m})
		}
		u.used += bytesPerArm * len(arms)
		n.arms = append(n.arms, arms)
	}
	return n
}

// size returns the bytes of a node and its descendants.
func (n *node) size() int {
	if n == nil {
		return 0
	}
	size := bytesPerNode
	for _, arms := range n.arms {
		size += bytesPerArm * len(arms)
	}
	for _, c := range n.children {
		size += c.size()
	}
	return size
}

// choose returns the index of a role's arm to try, -1 if it has none.
func (n *node) choose(role int, rng *rand.Rand) int {
	arms := n.arms[role]
	best, highest, unvisited := -1, math.Inf(-1), 0
	log := math.Log(float64(max(n.visits, 1)))
	for i := range arms {
		a := &arms[i]
		if a.visits == 0 {
			unvisited++
			if rng.IntN(unvisited) == 0 { // each unvisited arm with the same probability
				best = i
			}
			continue
		}
		if unvisited > 0 {
			continue
		}
		if s := a.sum/float64(a.visits) + exploration*math.Sqrt(log/float64(a.visits)); s > highest {
			best, highest = i, s
		}
	}
	return best
}

// key returns the key of a child.
func key(chosen []int) string {
	b := make([]byte, 0, 4*len(chosen))
	for _, i := range chosen {
		b = append(b, byte(i), byte(i>>8), byte(i>>16))
	}
	return string(b)
}

// visit is a node on the path of a simulation with the arms chosen there.
type visit struct {
	node   *node
	chosen []int
}

// simulate selects a path to a new node, plays randomly from there to the end and backs the scores up.
func (u *uct) simulate() error {
	u.at.copyFrom(u.position)
	var path []visit
	var line []int32
	n, out := u.root, playouts{best: -1}
	for {
		if n.over {
			out.scores, out.best = n.scores, n.scores[0]
			break
		}
		v := visit{node: n}
		var moves []int32
		for role := range n.arms {
			i := n.choose(role, u.rng)
			if i < 0 {
				return fmt.Errorf("%s has no legal move", u.position.roles()[role])
			}
			v.chosen = append(v.chosen, i)
			moves = append(moves, n.arms[role][i].move)
		}
		if err := u.at.play(moves); err != nil {
			return err
		}
		path = append(path, v)
		line = append(line, moves[0])
		child := n.children[key(v.chosen)]
		if child != nil {
			n = child
			continue
		}
		if u.used < u.room {
			child = u.expand(u.at)
			if n.children == nil {
				n.children = map[string]*node{}
			}
			n.children[key(v.chosen)] = child
		}
		if child != nil && child.over {
			out.scores, out.best = child.scores, child.scores[0]
		} else {
			out = u.at.playouts(u.rng)
		}
		break
	}
	if err := u.at.err(); err != nil {
		return err
	}
	for _, v := range path {
		v.node.visits++
		for role, i := range v.chosen {
			a := &v.node.arms[role][i]
			a.visits++
			a.sum += out.scores[role]
		}
	}
	if len(u.position.roles()) == 1 && out.best > u.best {
		u.best, u.line = out.best, append(line, out.line...)
	}
	return nil
}

// follow implements player. The subtree of the moves becomes the tree. After an error nothing has changed.
func (u *uct) follow(moves map[string]string) error {
	p, root := u.position, u.root
	var chosen []int
	var numbers []int32
	for role, name := range p.roles() {
		m, known := p.number(role, moves[name])
		if !known {
			return fmt.Errorf("the move %.60q of %s is unknown", moves[name], name)
		}
		numbers = append(numbers, m)
		if root == nil || root.over {
			continue
		}
		for i := range root.arms[role] {
			if root.arms[role][i].move == m {
				chosen = append(chosen, i)
			}
		}
	}
	if err := p.play(numbers); err != nil {
		return err
	}
	u.root = nil
	if len(chosen) == len(numbers) {
		u.root = root.children[key(chosen)]
	}
	u.used = u.root.size()
	if len(u.line) > 0 && u.line[0] == numbers[0] {
		u.line = u.line[1:]
	} else {
		u.line, u.best = nil, -1
	}
	return nil
}

// choose implements player.
func (u *uct) choose(ctx context.Context, role string, _ []string, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	index := slices.Index(u.position.roles(), role)
	err := u.search(ctx)
	switch {
	case len(u.line) > 0 || u.root != nil && u.root.visits > 0:
		return u.text(index), nil
	case ctx.Err() != nil:
		return "", nil
	}
	return "", err
}

// text returns the best move found for a role.
func (u *uct) text(role int) string {
	if len(u.line) > 0 {
		return u.position.text(role, u.line[0])
	}
	arms := u.root.arms[role]
	best := &arms[0]
	for i := range arms {
		if a := &arms[i]; a.visits > best.visits || a.visits == best.visits && a.sum > best.sum {
			best = a
		}
	}
	return u.position.text(role, best.move)
}

// search simulates until ctx ends, or until a player without opponents has found a perfect game.
func (u *uct) search(ctx context.Context) error {
	renewed, changed, err := u.position.renewed(ctx)
	if err != nil {
		return err
	}
	if changed {
		u.position, u.at, u.root, u.line, u.best, u.used = renewed, renewed.clone(), nil, nil, -1, 0
	}
	u.position.within(ctx)
	defer u.position.within(context.Background())
	if u.root == nil {
		u.root = u.expand(u.position)
	}
	if err := u.position.err(); err != nil {
		u.root = nil
		return err
	}
	if u.root.over {
		return fmt.Errorf("the game should be over")
	}
	for ctx.Err() == nil && u.best < 1 {
		if err := u.simulate(); err != nil {
			return err
		}
	}
	return nil
}
