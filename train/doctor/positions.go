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

// Games says how varied games are.
type Games struct {
	Count      int     `json:"count"`
	Duplicates float64 `json:"duplicates"` // share with the same moves as an earlier one
}

// variety returns how varied games are.
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

// Accuracy compares a network with what positions of finished games show.
type Accuracy struct {
	Policy Policy `json:"policy"`
	Value  Value  `json:"value"`
	Search Search `json:"search"`
}

// Policy compares a policy with the policy targets. The numbers are means over all positions, as the losses that training
// reports: positions whose target is not trained on count as 0, and one that n positions equal has a weight of 1/sqrt(n).
type Policy struct {
	Count   int     `json:"count"`
	Share   float64 `json:"share"`   // of positions whose target is trained on
	Uniform float64 `json:"uniform"` // ln(legal moves): the loss of uniform play
	Target  float64 `json:"target"`  // entropy of the targets: the least loss
	Loss    float64 `json:"loss"`    // cross-entropy of the policy with the targets
	Swapped float64 `json:"swapped"` // Loss, if the policy were in the opponent's frame
	Entropy float64 `json:"entropy"` // of the policy
}

// Gain says what part of the targets a policy with the given loss has learned: 0 as uniform play, 1 all of it. It is
// negative for a policy that is worse than uniform play.
func (p *Policy) Gain(loss float64) float64 {
	if p.Uniform-p.Target < 1e-3 {
		return 1 // nothing to learn
	}
	return (p.Uniform - loss) / (p.Uniform - p.Target)
}

// Value compares expected utilities with exact ones in positions near the ends of games.
type Value struct {
	Count       int     `json:"count"`       // positions that were solved
	Games       int     `json:"games"`       // that these positions are from
	Spread      float64 `json:"spread"`      // standard deviation of the exact utilities
	Correlation float64 `json:"correlation"` // of expected and exact utility; 0 if either is constant
}

// Search compares the moves of search and network in positions that the run has not solved and the solver of this package
// can: each number is the mean probability of moves that lose value. Only positions with better and worse moves count.
type Search struct {
	Count   int     `json:"count"`
	Targets float64 `json:"targets"` // by the policy targets
	Network float64 `json:"network"` // by the network's policy
	Uniform float64 `json:"uniform"` // by uniform play
}

// What is examined of the newest games takes about a second.
const (
	maxPositions = 2048    // evaluated by the network, evenly spread
	maxSolved    = 400     // solved for Value
	solvedPlies  = 6       // at the end of a game, for Value
	solverNodes  = 2000    // per position, for Value
	maxSearched  = 400     // positions tried for Search
	searchPlies  = 12      // at the end of a game, for Search
	searchNodes  = 10_000  // per position, for Search
	solverTable  = 4 << 20 // bytes
)

// examine compares networks with games, all in the same positions. Without a network (nil) only Policy.Count, Uniform and
// Target are set. The error is ctx's.
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

// countPositions returns how many searched positions have each canonical key, by its hash.
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

// examiner examines networks position by position.
type examiner struct {
	game        *env.Game
	solver      *solver.Solver
	networks    []*examined
	solved      int // positions for Value
	solvedGames int // that these are from
	tried       int // positions for Search

	legal  []env.Action
	target []float32 // policy target over the legal moves
	after  []int     // exact classes after the legal moves
}

// examined sums up positions for one network.
type examined struct {
	evaluator *infer.Evaluator // nil: none
	logits    []float32        // [A]
	classes   []float32        // [K]
	policy    []float64        // of the legal moves
	swapped   []float64        // likewise, if the network answered in the opponent's frame
	sums      Accuracy         // counts, and sums in place of means
	weight    float64          // of the positions in sums.Policy
	values    pairs            // expected and exact utility
}

// add adds a searched position of a game that has left plies to go. weight is the position's, for Policy.
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

// legalPolicy returns the probabilities of the legal moves by the logits of a frame, in the memory of dst.
func legalPolicy(dst []float64, logits []float32, legal, frame []env.Action) []float64 {
	dst = dst[:0]
	for _, a := range legal {
		dst = append(dst, float64(logits[frame[a]]))
	}
	infer.Softmax(dst)
	return dst
}

// addPolicy compares the policy with a policy target over the legal moves.
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

// addValue adds the networks' values of a position that the solver can solve.
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

// addSearch adds a policy target, and the networks' policies, in a position that the solver can solve.
func (e *examiner) addSearch(state env.State, target []float32) {
	e.after = e.solver.SolveMoves(state, solver.Limits{Nodes: searchNodes}, e.after[:0])
	best, worst := slices.Min(e.after), slices.Max(e.after) // a lower class is better for First
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

// accuracy returns the means. games is the number of games that solved positions are from.
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

// pairs sums up pairs of numbers.
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

// spread is the standard deviation of the second numbers; 0 if there are none.
func (p *pairs) spread() float64 {
	n := float64(max(1, p.n))
	return math.Sqrt(max(0, p.yy/n-p.y*p.y/(n*n)))
}

// correlation is Pearson's; 0 if either number is constant or there are none.
func (p *pairs) correlation() float64 {
	n := float64(p.n)
	ofX, ofY := n*p.xx-p.x*p.x, n*p.yy-p.y*p.y
	if p.n == 0 || ofX < 1e-9*n*n || ofY < 1e-9*n*n {
		return 0
	}
	return (n*p.xy - p.x*p.y) / math.Sqrt(ofX*ofY)
}
