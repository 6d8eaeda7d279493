package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// oracle is a slow and simple implementation of the search: with maps and recursion; bounds are computed again each
// time.
type oracle struct {
	game   *env.Game
	cfg    Config
	ev     Evaluator
	root   *oracleNode
	gumbel map[env.Action]float64
	budget int
	done   int
	self   bool
}

type oracleNode struct {
	state    env.State
	known    bool // evaluated
	lost     bool // the player to move wins at once; known before the node is expanded
	raw      float64
	logit    map[env.Action]float32
	prior    map[env.Action]float32
	children map[env.Action]*oracleNode // all of them, from the first visit on
	visits   int
	sum      float64 // for the first player
}

func (o *oracle) utility(class int) float64 { return float64(o.game.Classes[class].Utility) }

// bounds returns the best and the worst class as seen by the first player.
func (o *oracle) bounds(n *oracleNode) (top, bottom int) {
	K := len(o.game.Classes)
	if n.state.Done() {
		return n.state.Outcome(), n.state.Outcome()
	}
	p := n.state.Player()
	if n.children == nil && n.lost {
		return o.game.ClassFor(p, 0), o.game.ClassFor(p, 0)
	}
	if n.children == nil {
		return 0, K - 1
	}
	best, worst := K-1, K-1
	for _, c := range n.children {
		top, bottom := o.bounds(c)
		b, w := o.game.ClassFor(p, top), o.game.ClassFor(p, bottom)
		if p == env.Second {
			b, w = w, b
		}
		best, worst = min(best, b), min(worst, w)
	}
	if p == env.Second {
		return o.game.ClassFor(p, worst), o.game.ClassFor(p, best)
	}
	return best, worst
}

func (o *oracle) proven(n *oracleNode) bool {
	top, bottom := o.bounds(n)
	return top == bottom
}

// sortMoves returns the moves of a node that are not pruned, and those that can still improve on what it guarantees.
func (o *oracle) sortMoves(n *oracleNode) (unpruned, improving []env.Action) {
	p, K := n.state.Player(), len(o.game.Classes)
	best, worst, guaranteed := map[env.Action]int{}, map[env.Action]int{}, K
	legal := n.state.Legal(nil)
	for _, a := range legal {
		top, bottom := o.bounds(n.children[a])
		if p == env.First {
			best[a], worst[a] = top, bottom
		} else {
			best[a], worst[a] = K-1-bottom, K-1-top
		}
		guaranteed = min(guaranteed, worst[a])
	}
	for _, a := range legal {
		if best[a] < guaranteed {
			improving = append(improving, a)
		}
		if best[a] < guaranteed || worst[a] == guaranteed {
			unpruned = append(unpruned, a)
		}
	}
	return unpruned, improving
}

// expand creates a node's children.
func (o *oracle) expand(n *oracleNode) {
	n.children = map[env.Action]*oracleNode{}
	for _, a := range n.state.Legal(nil) {
		child := &oracleNode{state: o.game.After(n.state, a)}
		n.children[a] = child
		if n == o.root && !child.state.Done() && child.state.Player() != n.state.Player() && !o.endsIn(n.state, 0) {
			child.lost = o.endsIn(child.state, 0)
		}
	}
}

// endsIn reports whether the player to move can end the game at once in a class, as seen by that player.
func (o *oracle) endsIn(state env.State, class int) bool {
	for _, a := range state.Legal(nil) {
		if next := o.game.After(state, a); next.Done() && o.game.ClassFor(state.Player(), next.Outcome()) == class {
			return true
		}
	}
	return false
}

func (o *oracle) evaluate(n *oracleNode) {
	A, K := o.game.NumActions(), len(o.game.Classes)
	logits, classes := make([]float32, A), make([]float32, K)
	o.ev.Evaluate([]env.State{n.state}, logits, classes, nil)
	p := n.state.Player()
	n.known, n.logit, n.prior = true, map[env.Action]float32{}, map[env.Action]float32{}
	for k := range K / 2 {
		n.raw += o.utility(k) * (float64(classes[o.game.ClassFor(p, k)]) - float64(classes[o.game.ClassFor(p, K-1-k)]))
	}
	most := float32(math.Inf(-1))
	for _, a := range n.state.Legal(nil) {
		most = max(most, logits[o.game.Frame(p)[a]])
	}
	sum := 0.0
	for _, a := range n.state.Legal(nil) {
		n.logit[a] = logits[o.game.Frame(p)[a]] - most
		n.prior[a] = float32(math.Exp(float64(n.logit[a])))
		sum += float64(n.prior[a])
	}
	for a, p := range n.prior {
		n.prior[a] = float32(float64(p) / sum)
	}
}

// q is the completed value of a child for player p.
func (o *oracle) q(c *oracleNode, mix float64, p env.Player) float64 {
	v := mix
	if c.visits > 0 {
		v = c.sum / float64(c.visits)
	}
	top, bottom := o.bounds(c)
	v = math.Max(o.utility(bottom), math.Min(o.utility(top), v))
	if p == env.Second {
		return -v
	}
	return v
}

// mixed returns v_mix for the first player, the visits of the unpruned moves and those of the most visited one.
func (o *oracle) mixed(n *oracleNode) (mix float64, visits, most int) {
	unpruned, _ := o.sortMoves(n)
	visitedPrior, weighted := 0.0, 0.0
	for _, a := range unpruned {
		c := n.children[a]
		visits += c.visits
		most = max(most, c.visits)
		if c.visits > 0 {
			visitedPrior += float64(n.prior[a])
			weighted += float64(n.prior[a]) * o.q(c, 0, env.First)
		}
	}
	if visitedPrior == 0 {
		return n.raw, visits, most
	}
	return (n.raw + float64(visits)*weighted/visitedPrior) / (1 + float64(visits)), visits, most
}

// scores returns logit + sigma(q) of all moves.
func (o *oracle) scores(n *oracleNode) map[env.Action]float64 {
	mix, _, most := o.mixed(n)
	scores := map[env.Action]float64{}
	for a, c := range n.children {
		scale := (o.cfg.maxVisitInit + float64(most)) * o.cfg.ValueScale
		scores[a] = float64(n.logit[a]) + scale*o.q(c, mix, n.state.Player())
	}
	return scores
}

func (o *oracle) pick(n *oracleNode) env.Action {
	unpruned, improving := o.sortMoves(n)
	_, visits, _ := o.mixed(n)
	score := map[env.Action]float64{}
	if o.cfg.Rule == PUCT {
		visitedPrior := 0.0
		for _, a := range unpruned {
			if n.children[a].visits > 0 {
				visitedPrior += float64(n.prior[a])
			}
		}
		value := n.sum / float64(n.visits)
		if n.state.Player() == env.Second {
			value = -value
		}
		if n == o.root {
			unpruned = improving
		}
		N := float64(visits)
		c := cpuct + o.cfg.cpuctLog*math.Log((N+cpuctBase)/cpuctBase)
		for _, a := range unpruned {
			child := n.children[a]
			q := value - fpuReduction*math.Sqrt(visitedPrior)
			if child.visits > 0 || o.proven(child) {
				q = o.q(child, 0, n.state.Player())
			}
			score[a] = q + c*math.Sqrt(N+0.01)*float64(n.prior[a])/float64(1+child.visits)
		}
	} else {
		improved, most, sum := o.scores(n), math.Inf(-1), 0.0
		for _, a := range unpruned {
			most = max(most, improved[a])
		}
		for _, a := range unpruned {
			sum += math.Exp(improved[a] - most)
		}
		for _, a := range unpruned {
			score[a] = math.Exp(improved[a]-most)/sum - float64(n.children[a].visits)/float64(1+visits)
		}
	}
	best := unpruned[0]
	for _, a := range unpruned {
		if score[a] > score[best] {
			best = a
		}
	}
	return best
}

// visit does one simulation from n and returns its value for the first player.
func (o *oracle) visit(n *oracleNode, choose func() env.Action) (value float64) {
	switch {
	case n != o.root && o.proven(n):
	case n.known:
		a := choose()
		child := n.children[a]
		value = o.visit(child, func() env.Action { return o.pick(child) })
	default:
		if n.children == nil {
			o.expand(n)
		}
		if n == o.root || !o.proven(n) {
			o.evaluate(n)
			value = n.raw
		}
	}
	if top, bottom := o.bounds(n); top == bottom {
		value = o.utility(top)
	}
	n.visits++
	n.sum += value
	return value
}

func (o *oracle) finished() bool {
	if o.done == o.budget || o.proven(o.root) {
		return true
	}
	unpruned, improving := o.sortMoves(o.root)
	if len(improving) > 1 {
		return false
	}
	// One move is left: is it at least as good as what the others give for certain?
	p, K := o.root.state.Player(), len(o.game.Classes)
	top, bottom := o.bounds(o.root.children[improving[0]])
	worst := bottom
	if p == env.Second {
		worst = K - 1 - top
	}
	for _, a := range unpruned {
		top, _ := o.bounds(o.root.children[a])
		if a != improving[0] && o.game.ClassFor(p, top) < worst {
			return false
		}
	}
	return o.self || worst < K-1
}

// run searches a position; the noise is drawn move by move.
func (o *oracle) run(state env.State, simulations int, rng *rand.Rand) {
	o.root = &oracleNode{state: o.game.Copy(state)}
	o.budget, o.done, o.self, o.gumbel = simulations, 0, rng != nil, map[env.Action]float64{}
	for _, a := range state.Legal(nil) {
		if rng != nil && o.cfg.Rule == Gumbel {
			o.gumbel[a] = -math.Log(rng.ExpFloat64())
		}
	}
	o.visit(o.root, nil)
	if o.cfg.Rule == Gumbel {
		o.halve()
		return
	}
	for !o.finished() {
		o.simulate(o.pick(o.root))
	}
}

func (o *oracle) simulate(a env.Action) {
	o.visit(o.root, func() env.Action { return a })
	o.done++
}

// halve is sequential halving: phase after phase, round after round.
func (o *oracle) halve() {
	var candidates []env.Action
	var total, considered, halvings int
	for !o.finished() {
		candidates = o.stillImproving(candidates)
		if len(candidates) > 0 {
			considered = max(2, considered/2)
		} else {
			_, candidates = o.sortMoves(o.root)
			total = o.budget - o.done
			considered = min(o.sampled(), len(candidates))
			halvings = int(math.Ceil(math.Log2(float64(considered))))
		}
		scores := o.scores(o.root)
		slices.Sort(candidates) // the lower action first among equals
		sort.SliceStable(candidates, func(i, j int) bool {
			a, b := candidates[i], candidates[j]
			return o.gumbel[a]+scores[a] > o.gumbel[b]+scores[b]
		})
		candidates = candidates[:min(considered, len(candidates))]
		left := total
		if halvings > 0 {
			left = considered * max(1, total/(halvings*considered))
		}
		for i := 0; left > 0 && !o.finished() && len(o.stillImproving(candidates)) > 0; i++ {
			a := candidates[i%len(candidates)]
			if len(o.stillImproving([]env.Action{a})) == 1 {
				o.simulate(a)
				left--
			}
		}
	}
}

func (o *oracle) sampled() int {
	if o.cfg.candidates > 0 {
		return o.cfg.candidates
	}
	return int(math.Max(4, math.Min(16, math.Floor(float64(o.budget)/4))))
}

func (o *oracle) stillImproving(actions []env.Action) (still []env.Action) {
	_, improving := o.sortMoves(o.root)
	for _, a := range actions {
		if slices.Contains(improving, a) {
			still = append(still, a)
		}
	}
	return still
}

// compare finds the first difference between a tree and the oracle's.
func (o *oracle) compare(s *Search, n int32, want *oracleNode) error {
	nd := s.tree.incoming(n)
	if int(nd.visits) != want.visits || math.Abs(nd.valueSum-want.sum) > 1e-9 {
		return fmt.Errorf("node of key %x: %d visits, sum %v; want %d, %v",
			want.state.Key(), nd.visits, nd.valueSum, want.visits, want.sum)
	}
	for _, e := range s.tree.movesOf(n) {
		child := want.children[e.action]
		top, bottom := o.bounds(child)
		if int(e.best) != top || int(e.worst) != bottom {
			return fmt.Errorf("bounds %d..%d of action %d; want %d..%d", e.best, e.worst, e.action, top, bottom)
		}
		if int(e.visits) != child.visits {
			return fmt.Errorf("%d visits of action %d at key %x; want %d",
				e.visits, e.action, want.state.Key(), child.visits)
		}
		if e.child != none {
			if err := o.compare(s, e.child, child); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestOracle(t *testing.T) {
	type trial struct {
		game *env.Game
		seed uint64
	}
	var trials []trial
	for seed := range uint64(600) {
		m := maze{actions: 2 + int(seed%7), classes: 2 + int(seed%6), plies: 3 + int(seed%9)}
		trials = append(trials, trial{m.game(seed), seed})
	}
	for i, name := range games.Names() {
		g := games.Must(name)
		if g.Tensor.Cells() > 56 {
			continue // takes the oracle long; a smaller board of the family is tested
		}
		for seed := range uint64(4) {
			trials = append(trials, trial{g, uint64(i) + 10*seed})
		}
	}
	for _, trial := range trials {
		g := trial.game
		for _, cfg := range rules(1) {
			for _, selfPlay := range []bool{false, true} {
				rng := newGenerator(trial.seed)
				position := envtest.RandomPosition(g, rng, rng.IntN(g.MaxPlies/2+1))
				cfg.candidates = []int{0, 1, 3, 16}[rng.IntN(4)]
				simulations := []int{0, 1, 7, 16, 32, 64, 128}[rng.IntN(7)]
				var ev Evaluator = Uniform{} // many moves are equally good
				if rng.IntN(4) > 0 {
					ev = hashed{g, 1 + float32(rng.IntN(3))}
				}
				s, o := New(g, cfg), &oracle{game: g, cfg: cfg, ev: ev}
				var noise, same *rand.Rand
				if selfPlay {
					noise, same = newGenerator(trial.seed), newGenerator(trial.seed)
				}
				s.Start(position, simulations, noise)
				run(s, ev)
				o.run(position, simulations, same)
				err := o.compare(s, root, o.root)
				if err == nil && s.Simulations() != o.done {
					err = fmt.Errorf("%d simulations, want %d", s.Simulations(), o.done)
				}
				if err != nil {
					t.Fatalf("%s, seed %d, %v, self-play %v, %d simulations, %d candidates: %v",
						g.Name, trial.seed, cfg.Rule, selfPlay, simulations, cfg.candidates, err)
				}
			}
		}
	}
}
