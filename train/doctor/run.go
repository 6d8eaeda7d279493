package doctor

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/shipped"
)

// run holds what a run directory shows.
type run struct {
	dir     string
	game    *env.Game
	config  *rundir.Config
	side    int                  // of the largest board played so far, which the checks are about; 0: the run has one size
	metrics []rundir.Metrics     // by generation, ascending
	suite   []rundir.SuiteResult // by generation, ascending
	scores  []rundir.Score       // against the run's opponent, by generation, ascending
	ratings *rundir.Ratings      // nil if there is no readable file
	targets targets              // of the newest games
}

// targets says which losses are possible on the targets of some games. Like training, it weights a position that occurs n
// times with sqrt(n), and counts a policy target that is not trained on as 0.
type targets struct {
	games    int
	uniform  float64 // policy loss of uniform play over the legal moves
	least    float64 // entropy of the policy targets: the least possible policy loss
	outcomes float64 // entropy of First's outcomes
}

// read reads a run directory without its lock; the run may be in training. It leaves out lines and games that it cannot
// read.
func read(dir string) (*run, error) {
	config, game, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	r := &run{dir: dir, game: game, config: config}
	if r.metrics, _, err = rundir.MetricsFile.Read(dir); err != nil {
		return nil, err
	}
	if r.suite, _, err = rundir.SuiteFile.Read(dir); err != nil {
		return nil, err
	}
	matches, _, err := rundir.MatchesFile.Read(dir)
	if err != nil {
		return nil, err
	}
	r.scores = rundir.Scores(matches, shipped.Opponent(r.game), shipped.Digest(r.game))
	r.ratings, _ = rundir.ReadRatings(dir) // nil if it cannot be read
	for i := range r.metrics {
		r.side = max(r.side, r.metrics[i].Size)
	}
	board := r.game
	if sized, err := games.Resized(r.game, r.side); r.side > 0 && err == nil {
		board = sized
	}
	newest, err := newestGames(r.game, board, dir)
	if err != nil {
		return nil, err
	}
	r.targets = targetsOf(board, newest)
	return r, nil
}

// newestGames reads at most 256 of the newest games on a board of a run of game. It skips files that are damaged, missing
// or of another version.
func newestGames(game, board *env.Game, dir string) (newest []*record.Record, err error) {
	const most = 256
	generations, err := rundir.GamesGenerations(dir)
	for _, g := range slices.Backward(generations) {
		played, _, err := record.Read(game, dir, g)
		if err != nil && !record.IsLost(err) && !errors.Is(err, checkpoints.ErrVersion) {
			return nil, err
		}
		for _, p := range played {
			if p.Game == board {
				newest = append(newest, p)
			}
		}
		if len(newest) >= most {
			return newest[:most], nil
		}
	}
	return newest, err
}

// targetsOf sums up the targets of games.
func targetsOf(game *env.Game, games []*record.Record) targets {
	t := targets{games: len(games)}
	seen, outcomes, total := map[uint64]float64{}, make([]int, len(game.Classes)), 0.0
	for _, g := range games {
		outcomes[g.Outcome]++
		state := game.NewState()
		for _, ply := range g.Positions(state) {
			key, _ := state.CanonicalKey()
			n := seen[key.Hash()]
			seen[key.Hash()]++
			weight := math.Sqrt(n+1) - math.Sqrt(n) // n of these add up to sqrt(n)
			total += weight
			if ply.TrainPolicy {
				t.uniform += weight * math.Log(float64(len(ply.Policy)))
				t.least += weight * entropy(ply.Policy)
			}
		}
	}
	t.uniform, t.least, t.outcomes = t.uniform/max(1, total), t.least/max(1, total), entropy(outcomes)
	return t
}

// entropy is the entropy, in nats, of a distribution that is proportional to counts; 0 if all of these are 0.
func entropy[T int | uint16](counts []T) float64 {
	p := make([]float64, len(counts))
	for i, n := range counts {
		p[i] = float64(n)
	}
	floats.Scale(1/max(1, floats.Sum(p)), p)
	return stat.Entropy(p)
}

// learned is the share of the policy targets that a policy with the given loss has learned: 0 for uniform play, 1 for the
// targets themselves. It is negative for a policy that is worse than uniform play.
func (t *targets) learned(loss float64) float64 {
	if t.uniform-t.least < 1e-3 {
		return 1 // uniform play equals the targets: nothing to learn
	}
	return (t.uniform - loss) / (t.uniform - t.least)
}

// newest returns the metrics of the newest generation; all 0 before the first.
func (r *run) newest() (m rundir.Metrics) {
	if n := len(r.metrics); n > 0 {
		m = r.metrics[n-1]
	}
	return m
}

func policyLoss(m *rundir.Metrics) float64           { return m.PolicyLoss }
func validationPolicyLoss(m *rundir.Metrics) float64 { return m.ValidationPolicyLoss }
func outcomeLoss(m *rundir.Metrics) float64          { return m.OutcomeLoss }

// onBoard reports whether a generation was on the largest board played so far. Losses on different boards do not compare.
func (r *run) onBoard(m *rundir.Metrics) bool { return m.Size == r.side }

// onSide names the board that the checks are about if it is not yet the run's own.
func (r *run) onSide() string {
	if r.side == 0 || r.side == r.game.Tensor.W {
		return ""
	}
	return fmt.Sprintf(" on the %dx%[1]d board, the largest so far", r.side)
}

// series returns the values of a loss, for the generations that measured it on the largest board. A loss of 0 is not
// measured.
func (r *run) series(loss func(m *rundir.Metrics) float64) (values []float64) {
	for i := range r.metrics {
		if x := loss(&r.metrics[i]); x > 0 && r.onBoard(&r.metrics[i]) {
			values = append(values, x)
		}
	}
	return values
}

// recent is the mean of a loss over the newest fifth of the generations that measured it; 0 without any.
func (r *run) recent(loss func(m *rundir.Metrics) float64) float64 {
	values := r.series(loss)
	if len(values) == 0 {
		return 0
	}
	return stat.Mean(values[4*len(values)/5:], nil)
}
