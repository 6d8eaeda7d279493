package doctor

import (
	"context"
	"hash/fnv"
	"math"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/model/infer"
	"ludus/train/record"
)

// Games measures how varied games are.
type Games struct {
	Count      int     `json:"count"`
	Duplicates float64 `json:"duplicates"` // share of games with the same moves as an earlier one
}

// variety measures how varied games are.
func variety(game *env.Game, games []*record.Record) Games {
	seen := map[uint64]bool{}
	for i := range games {
		hash := fnv.New64a()
		for _, a := range games[i].Moves() {
			hash.Write([]byte{byte(a), byte(a >> 8), byte(a >> 16)})
		}
		seen[hash.Sum64()] = true
	}
	n := len(games)
	return Games{Count: n, Duplicates: 1 - float64(len(seen))/float64(max(1, n))}
}

// Accuracy compares a network's outputs with policy targets and exact values in positions of finished games.
type Accuracy struct {
	Policy Policy `json:"policy"`
	Value  Value  `json:"value"`
	Search Search `json:"search"`
}

// Policy compares a policy with the policy targets. Like the losses that training reports, its numbers are means over all
// positions: a position whose target is not trained on counts as 0, and each of n equal positions has weight 1/sqrt(n).
type Policy struct {
	Count   int     `json:"count"`
	Share   float64 `json:"share"`   // share of positions whose target is trained on
	Uniform float64 `json:"uniform"` // ln(legal moves): the loss of uniform play
	Target  float64 `json:"target"`  // entropy of the targets: the least possible loss
	Loss    float64 `json:"loss"`    // cross-entropy of the policy with the targets
	Swapped float64 `json:"swapped"` // cross-entropy when the policy is read in the opponent's frame
	Entropy float64 `json:"entropy"` // entropy of the policy
}

// Gain is the share of the policy targets that a policy with the given loss has learned: 0 for uniform play, 1 for the
// targets themselves. It is negative for a policy that is worse than uniform play.
func (p *Policy) Gain(loss float64) float64 {
	if p.Uniform-p.Target < 1e-3 {
		return 1 // uniform play equals the targets: nothing to learn
	}
	return (p.Uniform - loss) / (p.Uniform - p.Target)
}

// Value compares a network's expected utilities with exact ones in positions near the ends of games.
type Value struct {
	Count       int     `json:"count"`       // number of solved positions
	Games       int     `json:"games"`       // number of games with solved positions
	Spread      float64 `json:"spread"`      // standard deviation of the exact utilities
	Correlation float64 `json:"correlation"` // correlation of expected and exact utility; 0 if either is constant
}

// Search compares moves of the search and of the network in positions that the run has not solved but the solver here can.
// Each number is the mean probability of moves that lose value. Only positions where some moves lose value count.
type Search struct {
	Count   int     `json:"count"`
	Targets float64 `json:"targets"` // for the policy targets
	Network float64 `json:"network"` // for the network's policy
	Uniform float64 `json:"uniform"` // for uniform play
}

// Limits on the work of examine; together it takes about a second.
const (
	maxPositions = 2048    // positions that the network evaluates, evenly spread
	maxSolved    = 400     // positions to solve for Value
	solvedPlies  = 6       // only positions this close to the end of a game are solved for Value
	solverNodes  = 2000    // node limit per position for Value
	maxSearched  = 400     // positions tried for Search
	searchPlies  = 12      // only positions this close to the end of a game are tried for Search
	searchNodes  = 10_000  // node limit per position for Search
	solverTable  = 4 << 20 // bytes
)

// examine compares networks with the records of games, all in the same positions. For a nil network it sets only
// Policy.Count, Uniform and Target. The only error is ctx's.
func examine(ctx context.Context, game *env.Game, games []*record.Record, networks ...*infer.Network) ([]Accuracy, error) {
	e := examiner{game: game, solver: solver.New(game, solverTable)}
	for _, network := range networks {
		x := &examined{logits: make([]float32, game.NumActions()), classes: make([]float32, len(game.Classes))}
		if network != nil {
			x.evaluator = network.NewEvaluator(1)
		}
		e.networks = append(e.networks, x)
	}
	every, n := 1+record.Count(games)/maxPositions, 0
	counts := countPositions(game, games)
	for _, g := range games {
		state, solved := game.NewState(), e.solved
		for i, ply := range g.Positions(state) {
			if n%every == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				key, _ := state.CanonicalKey()
				e.add(state, ply, len(g.Plies)-i, 1/math.Sqrt(float64(counts[key.Hash()])))
			}
			n++
		}
		if e.solved > solved {
			e.solvedGames++
		}
	}
	all := make([]Accuracy, len(networks))
	for i, x := range e.networks {
		all[i] = x.accuracy(e.solvedGames)
	}
	return all, nil
}

// countPositions counts the searched positions in games by the hash of their canonical key.
func countPositions(game *env.Game, games []*record.Record) map[uint64]int {
	counts := map[uint64]int{}
	for _, g := range games {
		state := game.NewState()
		for range g.Positions(state) {
			key, _ := state.CanonicalKey()
			counts[key.Hash()]++
		}
	}
	return counts
}

// examiner evaluates positions with all networks and sums up the comparisons.
type examiner struct {
	game        *env.Game
	solver      *solver.Solver
	networks    []*examined
	solved      int // number of positions solved for Value
	solvedGames int // number of games with such positions
	tried       int // number of positions tried for Search

	legal  []env.Action
	target []float32 // policy target over the legal moves
	after  []int     // exact classes after the legal moves
}

// examined holds one network's scratch memory and its sums over positions.
type examined struct {
	evaluator *infer.Evaluator // nil without a network
	logits    []float32        // [A]
	classes   []float32        // [K]
	policy    []float64        // scratch: probabilities of the legal moves
	swapped   []float64        // scratch: the same with the logits read in the opponent's frame
	sums      Accuracy         // its means are still sums
	weight    float64          // total weight of the positions in sums.Policy
	values    pairs            // (expected, exact) utilities
}

// add adds a searched position, `left` plies before the end of its game. weight is its weight in Policy.
func (e *examiner) add(state env.State, ply *record.Ply, left int, weight float64) {
	e.legal = state.Legal(e.legal[:0])
	networks := false
	for _, x := range e.networks {
		if x.evaluator != nil {
			networks = true
			x.evaluator.Evaluate([]env.State{state}, x.logits, x.classes, nil)
			mover := state.Player()
			x.policy = legalPolicy(x.policy, x.logits, e.legal, e.game.Frame(mover))
			x.swapped = legalPolicy(x.swapped, x.logits, e.legal, e.game.Frame(mover.Opponent()))
		}
	}
	if networks && left <= solvedPlies && e.solved < maxSolved {
		e.addValue(state)
	}
	trained := ply.TrainPolicy && slices.Max(ply.Policy) > 0
	e.target = slices.Grow(e.target[:0], len(ply.Policy))[:len(ply.Policy)]
	ply.Policy.Normalise(e.target)
	for _, x := range e.networks {
		x.sums.Policy.Count++
		x.weight += weight
		if trained {
			x.addPolicy(e.target, weight)
		}
	}
	if trained && networks && ply.Proven < 0 && left <= searchPlies && e.tried < maxSearched {
		e.tried++
		e.addSearch(state, e.target)
	}
}

// legalPolicy returns the softmax over the legal moves. frame maps actions to their logits. It reuses dst.
func legalPolicy(dst []float64, logits []float32, legal, frame []env.Action) []float64 {
	dst = dst[:0]
	for _, a := range legal {
		dst = append(dst, float64(logits[frame[a]]))
	}
	infer.Softmax(dst)
	return dst
}

// addPolicy adds the comparison of the network's policy with a policy target over the legal moves.
func (e *examined) addPolicy(target []float32, weight float64) {
	p := &e.sums.Policy
	p.Share += weight
	p.Uniform += weight * math.Log(float64(len(target)))
	for i, t := range target {
		share := weight * float64(t)
		if t > 0 {
			p.Target -= share * math.Log(float64(t))
		}
		if e.evaluator != nil {
			const least = 1e-12
			log := math.Log(max(e.policy[i], least))
			p.Loss -= share * log
			p.Swapped -= share * math.Log(max(e.swapped[i], least))
			p.Entropy -= weight * e.policy[i] * log
		}
	}
}

// addValue adds the networks' values of a position, if the solver can solve it.
func (e *examiner) addValue(state env.State) {
	exact, ok := e.solver.Solve(state, solver.Limits{Nodes: solverNodes})
	if !ok {
		return
	}
	e.solved++
	for _, x := range e.networks {
		if x.evaluator != nil {
			x.values.add(e.game.ExpectedUtility(x.classes), e.game.UtilityFor(state.Player(), exact))
		}
	}
}

// addSearch adds the comparison of a policy target and the networks' policies with exact values, if the solver can solve
// the position.
func (e *examiner) addSearch(state env.State, target []float32) {
	e.after = e.solver.SolveMoves(state, solver.Limits{Nodes: searchNodes}, e.after[:0])
	best, worst := slices.Min(e.after), slices.Max(e.after) // First's point of view: a lower class is better
	if best == solver.Unknown || best == worst {
		return
	}
	if state.Player() == env.Second {
		best = worst
	}
	for _, x := range e.networks {
		if x.evaluator == nil {
			continue
		}
		s := &x.sums.Search
		s.Count++
		for i, class := range e.after {
			if class != best {
				s.Targets += float64(target[i])
				s.Network += x.policy[i]
				s.Uniform += 1 / float64(len(target))
			}
		}
	}
}

// accuracy turns the sums into means. games is the number of games with solved positions.
func (e *examined) accuracy(games int) Accuracy {
	a := e.sums
	divide := func(n float64, sums ...*float64) {
		for _, sum := range sums {
			*sum /= max(n, 1e-9)
		}
	}
	divide(e.weight, &a.Policy.Share, &a.Policy.Uniform, &a.Policy.Target, &a.Policy.Loss, &a.Policy.Swapped, &a.Policy.Entropy)
	divide(float64(a.Search.Count), &a.Search.Targets, &a.Search.Network, &a.Search.Uniform)
	a.Value = Value{Count: e.values.n, Games: games, Spread: e.values.spread(), Correlation: e.values.correlation()}
	return a
}

// pairs accumulates pairs of numbers for their correlation.
type pairs struct {
	n                int
	x, y, xx, yy, xy float64
}

func (p *pairs) add(x, y float64) {
	p.n++
	p.x += x
	p.y += y
	p.xx += x * x
	p.yy += y * y
	p.xy += x * y
}

// spread is the standard deviation of the second numbers; 0 without pairs.
func (p *pairs) spread() float64 {
	n := float64(max(1, p.n))
	return math.Sqrt(max(0, p.yy/n-p.y*p.y/(n*n)))
}

// correlation is Pearson's correlation; 0 if either number is constant or there are no pairs.
func (p *pairs) correlation() float64 {
	n := float64(p.n)
	ofX, ofY := n*p.xx-p.x*p.x, n*p.yy-p.y*p.y
	if p.n == 0 || ofX < 1e-9*n*n || ofY < 1e-9*n*n {
		return 0
	}
	return (n*p.xy - p.x*p.y) / math.Sqrt(ofX*ofY)
}
