package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/suite"
	"ludus/train/tensorboard"
)

// A run is rated ratingsPerRun times: the newest checkpoint plays earlier ones and baselines. The setting rating_share
// is the share of the run's time for these matches, and finalPart of that time is for the last generation: half for the
// final matches, against baselines and the newest other rated checkpoints, half for the most informative matches.
const (
	ratingsPerRun   = 10
	finalPart       = 0.4
	maxFinalGames   = 400 // of one final match
	peerCheckpoints = 3   // newest other rated checkpoints in the final matches
)

// baselines are the agents that checkpoints are rated against.
var baselines = []string{ratings.Anchor, "greedy", "mcts:200"}

// finalShare is the share of the run's time for rating the last generation, interimShare for rating all earlier ones.
func finalShare(s *rundir.Settings) float64   { return finalPart * s.RatingShare }
func interimShare(s *rundir.Settings) float64 { return s.RatingShare - finalShare(s) }

// ratingInterval is the number of generations between ratings: a multiple of keep_every if possible, so that rated
// checkpoints are kept.
func ratingInterval(c *rundir.Config) int {
	interval := (c.Plan.Generations + ratingsPerRun - 1) / ratingsPerRun
	if keep := c.Settings.KeepEvery; keep > 0 && interval > keep {
		interval -= interval % keep
	}
	return interval
}

// ratingDue reports whether a generation is rated.
func ratingDue(c *rundir.Config, generation int) bool {
	return generation%ratingInterval(c) == 0 || generation >= c.Plan.Last()
}

// ratedGenerations returns the newest peerCheckpoints rated generations up to generation. Their checkpoints are kept.
func ratedGenerations(c *rundir.Config, generation int) (rated []int) {
	interval := ratingInterval(c)
	for g := generation / interval * interval; g > 0 && len(rated) < peerCheckpoints; g -= interval {
		rated = append(rated, g)
	}
	return rated
}

// rater measures a run by matches and by the game's suite of solved positions. It has its own random streams, so games
// and weights do not depend on it.
type rater struct {
	dir      string
	game     *env.Game
	config   *rundir.Config
	count    *counters // of the run
	pace     *pace     // of the run
	threads  int
	curves   *tensorboard.Writer
	notify   func(Event)
	progress func()                // reports that rating is in progress
	balance  *match.BalanceChecker // chooses openings; nil until needed
	suite    *suite.Suite          // nil until needed, or if the game has none
}

// rate rates the newest checkpoint and tests it on the suite, after playing the final matches if it is the last. Work
// already done by an earlier process is skipped.
func (t *rater) rate(ctx context.Context) error {
	extraSeconds := 0.0
	if t.count.Generation >= t.config.Plan.Last() {
		if err := t.playFinalMatches(ctx); err != nil {
			return err
		}
		extraSeconds = finalShare(&t.config.Settings) / 2 * t.expectedSeconds() // the other half of the final budget
	}
	if err := t.rateNewest(ctx, extraSeconds); err != nil {
		return err
	}
	return t.testOnSuite(ctx)
}

// playFinalMatches plays the last checkpoint against each baseline and the newest other checkpoints with matches.
func (t *rater) playFinalMatches(ctx context.Context) error {
	matches, _, err := rundir.MatchesFile.Read(t.dir)
	if err != nil {
		return err
	}
	pool, err := t.openPool()
	if err != nil {
		return err
	}
	newest := pool.Index(rundir.CheckpointName(t.count.Generation))
	peers := slices.DeleteFunc(pool.PlayedCheckpoints(), func(i int) bool { return i == newest })
	opponents := append(slices.Clone(baselines), pool.Names(peers[max(0, len(peers)-peerCheckpoints):])...)
	seconds := finalShare(&t.config.Settings) / 2 * t.expectedSeconds() / float64(len(opponents))
	games := min(max(int(seconds/t.secondsPerGame())&^1, 4), maxFinalGames)
	for _, opponent := range opponents {
		if slices.ContainsFunc(matches, func(m rundir.MatchResult) bool {
			return m.Final && m.Generation == t.count.Generation && m.Opponent == opponent
		}) {
			continue
		}
		t.progress()
		m, err := pool.Play(ctx, newest, pool.Index(opponent), games, t.threads, true)
		if errors.Is(err, agent.ErrWeights) { // a damaged peer
			t.warn(err)
			continue
		}
		if err != nil {
			return err
		}
		if m.Games == 0 {
			continue // the two can only repeat their games
		}
		if err := t.curves.Write(time.Now(), m.Generation, matchScalars(m)); err != nil {
			return err
		}
		t.notify(Event{Match: m})
	}
	return nil
}

// rateNewest rates the newest checkpoint if it has no rating yet. It may take the time due since the last rating plus
// extraSeconds, minus the time that an earlier process has already spent on this rating.
func (t *rater) rateNewest(ctx context.Context, extraSeconds float64) error {
	if table, err := rundir.ReadRatings(t.dir); err == nil && table.Find(t.count.Generation) != nil {
		return nil
	}
	matches, _, err := rundir.MatchesFile.Read(t.dir)
	if err != nil {
		return err
	}
	interval := ratingInterval(t.config)
	since := t.count.Generation - (t.count.Generation-1)/interval*interval // generations
	due := interimShare(&t.config.Settings) * t.pace.elapsed().Seconds() * float64(since) / float64(t.count.Generation)
	seconds := due + extraSeconds
	for _, m := range matches {
		if m.Generation == t.count.Generation && !m.Final {
			seconds -= m.Seconds
		}
	}
	pool, err := t.openPool()
	if err != nil {
		return err
	}
	newest := pool.Index(rundir.CheckpointName(t.count.Generation))
	err = pool.Rate(ctx, ratings.Options{
		Targets: []int{newest}, Players: append(append(pool.Baselines(), pool.PlayedCheckpoints()...), newest),
		MaxTime:     time.Duration(max(seconds, 1e-9) * float64(time.Second)), // 0 would be no limit
		GameSeconds: t.secondsPerGame(), Threads: t.threads,
		Progress: func(ratings.Progress) { t.progress() },
		Warn:     t.warn,
	})
	if err != nil {
		return err
	}
	table, err := pool.Write()
	if err != nil {
		return err
	}
	rating := table.Find(t.count.Generation)
	if rating == nil {
		return nil // the checkpoint is damaged; warn has reported it
	}
	if err := t.curves.Write(time.Now(), t.count.Generation, ratingScalars(rating)); err != nil {
		return err
	}
	t.notify(Event{Rating: rating})
	return nil
}

// openPool opens the pool of the run's agents and matches, and warns of lines of matches that cannot be read.
func (t *rater) openPool() (*ratings.Pool, error) {
	if t.balance == nil {
		t.balance = match.NewBalanceChecker(t.game)
	}
	pool, warnings, err := ratings.Open(t.dir, t.game, agent.DefaultSimulations, baselines, t.balance)
	for _, w := range warnings {
		t.warn(w)
	}
	return pool, err
}

// warn reports err, because of which an agent or a match is left out.
func (t *rater) warn(err error) { t.notify(Event{Note: fmt.Sprintf("%v; rating without it", err)}) }

// expectedSeconds is how long the whole run is expected to take.
func (t *rater) expectedSeconds() float64 {
	if plan := &t.config.Plan; plan.Seconds > 0 && !plan.CPU {
		return plan.Seconds
	}
	return t.pace.elapsed().Seconds() / float64(max(1, t.count.Generation)) * float64(t.config.Plan.Generations)
}

// secondsPerGame estimates how long the newest checkpoint searches in a match game; it plays half of the moves.
func (t *rater) secondsPerGame() float64 {
	speed := t.pace.speed
	if speed == 0 { // this process has not played yet
		speed = max(float64(t.count.Positions), 1) / max(t.count.Seconds, 1)
	}
	simulations := agent.DefaultSimulations / float64(t.config.Settings.Simulations)
	return t.count.meanPlies(t.game) / 2 * simulations / speed
}

// dropRatingsAfter rebuilds ratings.json from the remaining matches if the file is unreadable or lists checkpoints
// newer than generation. The matches of those checkpoints have already been deleted.
func (t *rater) dropRatingsAfter(generation int) error {
	table, err := rundir.ReadRatings(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if newest := table.Newest(); newest == nil || *newest.Generation <= generation {
			return nil
		}
	}
	pool, err := t.openPool()
	if err != nil {
		return err
	}
	_, err = pool.Write()
	return err
}

// Each rated checkpoint is tested on the game's suite, without and with search. All tests of a run use the same
// positions: one per searchedPerTested positions that the run had searched by its first test. A move takes about as
// long as playing and learning 1.6 positions, so all tests take about 1 % of a run's time. Runs too short for
// [suite.MinPositions] have none.
const maxTested = 500 // positions at most

var searchedPerTested = 160 // a variable for tests

// testOnSuite tests the newest checkpoint on the game's suite if there is one.
func (t *rater) testOnSuite(ctx context.Context) error {
	if t.suite == nil {
		shipped, ok := suite.Shipped(t.game)
		if !ok {
			return nil
		}
		t.suite = shipped
	}
	results, _, err := rundir.SuiteFile.Read(t.dir)
	if err != nil {
		return err
	}
	positions := min(t.count.Positions/searchedPerTested, maxTested)
	if len(results) > 0 {
		positions = results[0].Positions
	} else if positions < suite.MinPositions {
		return nil
	}
	for _, kind := range []string{"policy", "net"} {
		done := slices.ContainsFunc(results, func(r rundir.SuiteResult) bool {
			return r.Agent == kind && r.Generation == t.count.Generation
		})
		if done {
			continue
		}
		if err := t.testAgent(ctx, kind, t.count.Generation, positions); err != nil {
			return err
		}
	}
	return nil
}

// testAgent tests a generation's checkpoint, with (kind net) or without search (kind policy), on suite positions.
func (t *rater) testAgent(ctx context.Context, kind string, generation, positions int) error {
	spec := agent.Spec{Kind: agent.Kind(kind), Network: agent.CheckpointOf(t.dir, generation)}
	t.progress()
	o := suite.TestOptions{Threads: t.threads, Positions: positions, Seed: t.config.Seed}
	report, err := t.suite.Test(ctx, agent.NewFactory(t.game, spec, rundir.LoadWeights), o)
	if err != nil {
		return err
	}
	result := &rundir.SuiteResult{
		Generation: generation, Agent: kind, Positions: report.Positions,
		Error: report.Error.Value, Low: report.Error.Low, High: report.Error.High,
		Loss: report.Loss.Value, LossLow: report.Loss.Low, LossHigh: report.Loss.High,
	}
	if err := rundir.SuiteFile.Append(t.dir, result); err != nil {
		return err
	}
	if err := t.curves.Write(time.Now(), generation, suiteScalars(result)); err != nil {
		return err
	}
	t.notify(Event{Suite: result})
	return nil
}
