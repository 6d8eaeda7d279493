package selfplay

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// Start positions of self-play games. Without variety self-play collapses to one game.
const (
	emptyStartShare    = 0.125 // share of games from the starting position
	randomStartShare   = 0.50  // share of games that start after random plies; the others start after plies drawn from the policy
	maxPolicyPlies     = 6     // largest number of plies drawn from the policy
	policyTemperature  = 1.5   // temperature of the policy for these plies
	maxOpeningFraction = 0.60  // longest opening, relative to the mean length of a game
)

// gameInProgress plays one game of self-play after another. One goroutine owns it at a time. A checkpoint stores its
// random generator and the record of the unfinished game.
type gameInProgress struct {
	game      *env.Game
	settings  *rundir.Settings
	generator *rand.PCG
	rng       *rand.Rand // its state is generator

	record           *record.Record
	state            env.State
	opened           bool // whether the opening is complete
	policyPlies      int  // opening plies that are still to be drawn from the policy
	explorationPlies int  // exploration plies left

	search      *mcts.Search // a thread's search; nil between rounds
	searching   bool
	pliesLeft   int     // plies left in this round
	simulations int     // simulations per search
	meanPlies   float64 // mean length of the run's games so far

	finished  []*record.Record // games that ended since the last Player.result
	positions int              // positions searched since the last Player.result
	searched  int              // simulations done since the last Player.result

	weights []float64    // scratch
	legal   []env.Action // scratch
	policy  []float32    // scratch: probabilities of the legal moves
	classes []float32    // scratch [K]
}

// newGames returns the n games of a new run, each with its own random generator. The name of the random stream must not
// change: a seed would give other games.
func newGames(game *env.Game, settings *rundir.Settings, runSeed uint64, n int) []*gameInProgress {
	games := make([]*gameInProgress, n)
	for i := range games {
		generator := seed.New(runSeed, "slot", i)
		games[i] = &gameInProgress{
			game: game, settings: settings, generator: generator, rng: rand.New(generator),
			record: &record.Record{Game: game}, state: game.NewState(), classes: make([]float32, len(game.Classes)),
			simulations: settings.Simulations,
		}
	}
	return games
}

// scatter moves a new game to a random position, as in the middle of a run, unless ctx ends.
func (g *gameInProgress) scatter(ctx context.Context) {
	g.meanPlies = float64(g.game.UsualPlies) / 2
	for range g.rng.IntN(max(1, g.game.UsualPlies)) {
		if ctx.Err() != nil {
			return
		}
		g.playRandom()
		if g.state.Done() {
			g.state, g.record.Opening = g.game.NewState(), nil
		}
	}
	g.beginSearchedPlies()
}

// advance plays on until b holds a pending leaf of the game (it returns true) or the round's plies are played (false).
func (g *gameInProgress) advance(b *mcts.Batcher) (pending bool) {
	for {
		switch {
		case g.searching:
			for g.search.Step(b) {
			}
			if !g.search.Done() {
				return true
			}
			g.searching = false
			g.searched += g.search.Simulations()
			if g.opened {
				g.playSearched()
			} else {
				g.playFromPolicy()
			}
		case g.pliesLeft == 0:
			return false
		case !g.opened && g.policyPlies == 0:
			g.beginGame()
		case !g.opened:
			g.startSearch(0, nil) // evaluates only the root
		default:
			g.startSearch(g.simulations, g.rng)
		}
	}
}

// startSearch starts a search of the current position. 0 simulations only evaluate the root, without rng.
func (g *gameInProgress) startSearch(simulations int, rng *rand.Rand) {
	g.search.Start(g.state, simulations, rng)
	g.searching = true
}

// beginGame starts the next game. It plays random opening plies at once; advance plays those from the policy.
func (g *gameInProgress) beginGame() {
	longest := max(1, int(maxOpeningFraction*g.meanPlies))
	g.record.Opening = g.record.Opening[:0]
	g.state = g.game.NewState()
	r := g.rng.Float64()
	switch {
	case r < emptyStartShare:
	case r < emptyStartShare+randomStartShare:
		for range 1 + g.rng.IntN(longest) {
			g.playRandom()
			if g.state.Done() {
				return // the opening ended the game: advance calls beginGame again
			}
		}
	default:
		g.policyPlies = 1 + g.rng.IntN(min(maxPolicyPlies, longest))
		return
	}
	g.beginSearchedPlies()
}

// playRandom plays a random legal move of the opening.
func (g *gameInProgress) playRandom() {
	g.legal = g.state.Legal(g.legal[:0])
	g.playOpening(g.legal[g.rng.IntN(len(g.legal))])
}

func (g *gameInProgress) playOpening(a env.Action) {
	g.state.Apply(a)
	g.record.Opening = append(g.record.Opening, a)
}

// playFromPolicy plays one ply of the opening, drawn from the network's policy at policyTemperature.
func (g *gameInProgress) playFromPolicy() {
	moves := g.search.Moves()
	g.weights = g.weights[:0]
	for i := range moves {
		g.weights = append(g.weights, float64(moves[i].Prior))
	}
	g.playOpening(moves[mcts.DrawIndex(g.rng, g.weights, policyTemperature)].Action)
	g.policyPlies--
	if g.state.Done() {
		g.policyPlies = 0 // the opening ended the game: advance calls beginGame again
	} else if g.policyPlies == 0 {
		g.beginSearchedPlies()
	}
}

// beginSearchedPlies ends the opening and draws the number of exploration plies: the setting, ±2 if it is above 2.
func (g *gameInProgress) beginSearchedPlies() {
	g.opened = true
	g.explorationPlies = g.settings.ExplorationPlies
	if g.explorationPlies > 2 {
		g.explorationPlies += g.rng.IntN(5) - 2
	}
}

// playSearched records the result of the finished search and plays a move.
func (g *gameInProgress) playSearched() {
	policy, weight := g.search.PolicyTarget(g.policy[:0])
	g.policy = policy
	p := record.Ply{Proven: -1, TrainPolicy: weight > 0}
	if class, ok := g.search.Proven(); ok {
		p.Proven = int8(class)
	}
	choice := g.chooseMove(policy)
	p.Action = g.search.Actions()[choice]
	p.Explored = p.Action != g.search.Best()
	g.search.Classes(g.classes)
	shares := record.Quantise(record.Quantise(make([]uint16, 0, len(policy)+len(g.classes)), policy), g.classes)
	p.Policy, p.Classes = shares[:len(policy):len(policy)], shares[len(policy):]
	g.record.Plies = append(g.record.Plies, p)
	g.state.Apply(p.Action)
	g.pliesLeft--
	g.positions++
	if g.state.Done() {
		g.record.Done, g.record.Outcome, g.record.Goals = true, g.state.Outcome(), g.state.Goals()
		g.finished = append(g.finished, g.record)
		g.record, g.opened = &record.Record{Game: g.game}, false
	}
}

// chooseMove returns the index of the move to play, given the policy target. On an exploration ply the move is drawn
// from policy mixed with the uniform distribution; after these plies it is the search's best.
func (g *gameInProgress) chooseMove(policy []float32) int {
	if g.explorationPlies == 0 {
		return slices.Index(g.search.Actions(), g.search.Best())
	}
	g.explorationPlies--
	uniform := g.settings.ExplorationFraction
	g.weights = g.weights[:0]
	for _, p := range policy {
		g.weights = append(g.weights, (1-uniform)*float64(p)+uniform/float64(len(policy)))
	}
	return mcts.DrawIndex(g.rng, g.weights, 1) // temperature 1
}

// append appends the game's checkpoint data to dst.
func (g *gameInProgress) append(dst []byte) []byte {
	state, err := g.generator.MarshalBinary()
	if err != nil {
		panic("selfplay: " + err.Error()) // a PCG always marshals
	}
	dst = binary.AppendUvarint(dst, uint64(len(state)))
	dst = append(dst, state...)
	opened := byte(0)
	if g.opened {
		opened = 1
	}
	dst = append(dst, opened)
	dst = binary.AppendUvarint(dst, uint64(g.explorationPlies))
	return g.record.Append(dst)
}

// read restores g from append's encoding.
func (g *gameInProgress) read(r *record.Reader) {
	state := r.Bytes(r.Uvarint(1 << 10))
	if r.Err() == nil {
		if err := g.generator.UnmarshalBinary(state); err != nil {
			r.Fail("generator: %v", err)
		}
	}
	g.opened = r.Bytes(1)[0] == 1
	g.explorationPlies = r.Uvarint(1 << 20)
	g.record = r.Record()
	if g.record.Done {
		r.Fail("the game is finished")
	}
	if r.Err() != nil {
		return
	}
	g.state = g.game.NewState()
	for range g.record.Positions(g.state) { // moves g.state to the record's last position
	}
}
