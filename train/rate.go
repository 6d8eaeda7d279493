package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/plan"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// Limits of the final matches, against baselines and the newest other rated checkpoints. They get half of the time for
// rating the last generation; the most informative matches get the other half.
const (
	maxFinalGames   = 400 // largest number of games of one final match
	peerCheckpoints = 3   // number of newest other rated checkpoints in the final matches
)

// baselines are the agents without a network that checkpoints are rated against.
var baselines = []string{ratings.Anchor, "greedy", "mcts:200"}

// rater measures a run by matches and by the game's suite of solved positions. It has its own random streams, so games
// and weights do not depend on it.
type rater struct {
	*state
	balance *match.BalanceChecker // chooses openings; nil until needed
	suite   *suite.Suite          // nil until needed, or if the game has none
}

// rate rates the newest checkpoint and tests it on the suite; the last checkpoint plays the final matches first. It skips
// work that an earlier process has done.
func (r *rater) rate(ctx context.Context) error {
	extraSeconds := 0.0
	if r.count.Generation >= r.config.Plan.Last() {
		if err := r.playFinalMatches(ctx); err != nil {
			return err
		}
		extraSeconds = plan.FinalShare(&r.config.Settings) / 2 * r.expectedSeconds() // the other half of the final budget
	}
	if err := r.rateNewest(ctx, extraSeconds); err != nil {
		return err
	}
	return r.testOnSuite(ctx)
}

// playFinalMatches plays the last checkpoint against each baseline and the newest other checkpoints with matches.
func (r *rater) playFinalMatches(ctx context.Context) error {
	matches, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return err
	}
	pool, err := r.openPool()
	if err != nil {
		return err
	}
	newest := pool.Index(rundir.CheckpointName(r.count.Generation))
	peers := slices.DeleteFunc(pool.PlayedCheckpoints(), func(i int) bool { return i == newest })
	opponents := append(slices.Clone(baselines), pool.Names(peers[max(0, len(peers)-peerCheckpoints):])...)
	seconds := plan.FinalShare(&r.config.Settings) / 2 * r.expectedSeconds() / float64(len(opponents))
	games := min(max(int(seconds/r.secondsPerGame())&^1, 4), maxFinalGames) // &^1: even, since games come in pairs
	for _, opponent := range opponents {
		if slices.ContainsFunc(matches, func(m rundir.MatchResult) bool {
			return m.Final && m.Generation == r.count.Generation && m.Opponent == opponent
		}) {
			continue
		}
		r.progress(Rating, 0)
		m, err := pool.Play(ctx, newest, pool.Index(opponent), games, r.Threads, true)
		if errors.Is(err, agent.ErrWeights) { // a damaged opponent
			r.warn(err)
			continue
		}
		if err != nil {
			return err
		}
		if m.Games == 0 {
			continue // the two could only repeat their games
		}
		r.Observe(Event{Match: m})
	}
	return nil
}

// rateNewest rates the newest checkpoint if it has no rating yet. It spends the time due since the last rating plus
// extraSeconds, minus what an earlier process has spent on this rating.
func (r *rater) rateNewest(ctx context.Context, extraSeconds float64) error {
	if table, err := rundir.ReadRatings(r.Dir); err == nil && table.Find(r.count.Generation) != nil {
		return nil
	}
	matches, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return err
	}
	interval := plan.RatingInterval(r.config)
	since := r.count.Generation - (r.count.Generation-1)/interval*interval // number of generations since the last rating
	due := plan.InterimShare(&r.config.Settings) * r.clock.Elapsed().Seconds() * float64(since) / float64(r.count.Generation)
	seconds := due + extraSeconds
	for _, m := range matches {
		if m.Generation == r.count.Generation && !m.Final {
			seconds -= m.Seconds
		}
	}
	pool, err := r.openPool()
	if err != nil {
		return err
	}
	newest := pool.Index(rundir.CheckpointName(r.count.Generation))
	err = pool.Rate(ctx, ratings.Options{
		Targets: []int{newest}, Players: append(append(pool.Baselines(), pool.PlayedCheckpoints()...), newest),
		MaxTime:     time.Duration(max(seconds, 1e-9) * float64(time.Second)), // 0 would be no limit
		GameSeconds: r.secondsPerGame(), Threads: r.Threads,
		Progress: func(ratings.Progress) { r.progress(Rating, 0) },
		Warn:     r.warn,
	})
	if err != nil {
		return err
	}
	table, err := pool.Write()
	if err != nil {
		return err
	}
	rating := table.Find(r.count.Generation)
	if rating == nil {
		return nil // the checkpoint is damaged; warn has reported it
	}
	r.Observe(Event{Rating: rating})
	return nil
}

// openPool opens the rating pool of the run, and warns about unreadable lines of matches.
func (r *rater) openPool() (*ratings.Pool, error) {
	if r.balance == nil {
		r.balance = match.NewBalanceChecker(r.Game)
	}
	pool, warnings, err := ratings.Open(r.Dir, r.Game, agent.DefaultSimulations, baselines, r.balance)
	for _, w := range warnings {
		r.warn(w)
	}
	return pool, err
}

// warn reports an error because of which an agent or a match is skipped.
func (r *rater) warn(err error) { r.Observe(Event{Note: fmt.Sprintf("%v; rating without it", err)}) }

// expectedSeconds estimates the duration of the whole run.
func (r *rater) expectedSeconds() float64 {
	if p := &r.config.Plan; p.Seconds > 0 && !p.CPU {
		return p.Seconds
	}
	return r.clock.Elapsed().Seconds() / float64(max(1, r.count.Generation)) * float64(r.config.Plan.Generations)
}

// secondsPerGame estimates the newest checkpoint's search time per match game, in which it plays half of the moves.
func (r *rater) secondsPerGame() float64 {
	speed := r.clock.Speed
	if speed == 0 { // this process has not played yet
		speed = max(float64(r.count.Positions), 1) / max(r.count.Seconds, 1)
	}
	simulations := agent.DefaultSimulations / float64(r.config.Settings.Simulations)
	return r.meanPlies() / 2 * simulations / speed
}

// dropRatingsAfter rebuilds ratings.json from the remaining matches if the file is unreadable or lists checkpoints
// newer than generation. The matches of those checkpoints have already been deleted.
func (r *rater) dropRatingsAfter(generation int) error {
	table, err := rundir.ReadRatings(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if newest := table.Newest(); newest == nil || *newest.Generation <= generation {
			return nil
		}
	}
	pool, err := r.openPool()
	if err != nil {
		return err
	}
	_, err = pool.Write()
	return err
}

// Each rated checkpoint is tested on the game's suite, without and with search. All tests of a run use the same positions:
// one per searchedPerTested positions that the run had searched by its first test. Testing a move takes about as long as
// playing and learning 1.6 positions, so all tests take about 1 % of a run's time. A run too short for [suite.MinPositions]
// has no tests.
const maxTested = 500 // largest number of positions

var searchedPerTested = 160 // a variable for tests

// testOnSuite tests the newest checkpoint on the game's suite if there is one.
func (r *rater) testOnSuite(ctx context.Context) error {
	if r.suite == nil {
		shipped, ok := suite.Shipped(r.Game)
		if !ok {
			return nil
		}
		r.suite = shipped
	}
	results, _, err := rundir.SuiteFile.Read(r.Dir)
	if err != nil {
		return err
	}
	positions := min(r.count.Positions/searchedPerTested, maxTested)
	if len(results) > 0 {
		positions = results[0].Positions
	} else if positions < suite.MinPositions {
		return nil
	}
	for _, kind := range []string{"policy", "net"} {
		done := slices.ContainsFunc(results, func(result rundir.SuiteResult) bool {
			return result.Agent == kind && result.Generation == r.count.Generation
		})
		if done {
			continue
		}
		if err := r.testAgent(ctx, kind, r.count.Generation, positions); err != nil {
			return err
		}
	}
	return nil
}

// testAgent tests a generation's checkpoint, with (kind net) or without search (kind policy), on suite positions.
func (r *rater) testAgent(ctx context.Context, kind string, generation, positions int) error {
	spec := agent.Spec{Kind: agent.Kind(kind), Network: agent.CheckpointOf(r.Dir, generation)}
	r.progress(Rating, 0)
	o := suite.TestOptions{Threads: r.Threads, Positions: positions, Seed: r.config.Seed}
	report, err := r.suite.Test(ctx, agent.NewFactory(r.Game, spec, rundir.LoadWeights), o)
	if err != nil {
		return err
	}
	result := &rundir.SuiteResult{
		Generation: generation, Agent: kind, Positions: report.Positions,
		Error: report.Error.Value, Low: report.Error.Low, High: report.Error.High,
		Loss: report.Loss.Value, LossLow: report.Loss.Low, LossHigh: report.Loss.High,
	}
	if err := rundir.SuiteFile.Append(r.Dir, result); err != nil {
		return err
	}
	r.Observe(Event{Suite: result})
	return nil
}
