package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
)

// A run is judged by matches between generations, which never touch training's generators: on its way some judgings times,
// when the newest checkpoint is rated against earlier ones and baselines, and at its end, when it also plays each baseline.
// The setting rating is the share of its time that this takes, of which finalPart is for the matches at the end. Where it is
// 0, a run plays no matches at all: whoever asks for that wants all of the time for learning, and can rate it afterwards.
const (
	judgings    = 10
	finalPart   = 0.4
	mostMatches = 400 // games of a match at the end
	rivals      = 3   // newest judged checkpoints that are kept to be played against
)

// baselines are those of a run's pool while it is trained; they judge it in the end.
var baselines = []string{ratings.Anchor, "greedy", "mcts:200"}

// finalShare is the share of the run's time for the matches at its end, wayShare that for rating on its way.
func finalShare(s *rundir.Settings) float64 { return finalPart * s.RatingShare }
func wayShare(s *rundir.Settings) float64   { return s.RatingShare - finalShare(s) }

// judgingEvery is how many generations lie between two judgings: a multiple of keep_every where it can be, so that what is
// judged is kept.
func (r *run) judgingEvery() int {
	every := (r.config.Plan.Generations + judgings - 1) / judgings
	if keep := r.config.Settings.KeepEvery; keep > 0 && every > keep {
		every -= every % keep
	}
	return every
}

// judgingDue says whether the run is judged after the generation counted last.
func (r *run) judgingDue() bool {
	return r.count.Generation%r.judgingEvery() == 0 || r.count.Generation >= r.config.Plan.Last()
}

// judgedBefore are the generations of the newest judgings.
func (r *run) judgedBefore() (generations []int) {
	every := r.judgingEvery()
	for g := r.count.Generation / every * every; g > 0 && len(generations) < rivals; g -= every {
		generations = append(generations, g)
	}
	return generations
}

// judgeNow judges the generation counted last where that is due on the way, and not done yet.
func (r *run) judgeNow(ctx context.Context) error {
	if g := r.count.Generation; r.config.Settings.RatingShare == 0 || g == 0 || !r.judgingDue() || g >= r.config.Plan.Last() {
		return nil
	}
	if err := r.rate(ctx); err != nil {
		return err
	}
	return r.afterJudging(ctx)
}

// judgeFinally plays the matches that are missing for the last generation, and rates it.
func (r *run) judgeFinally(ctx context.Context) error {
	if r.config.Settings.RatingShare == 0 {
		return nil
	}
	judged, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return err
	}
	done := make(map[string]bool)
	for _, j := range judged {
		done[j.Opponent] = done[j.Opponent] || j.Final && j.Generation == r.count.Generation
	}
	for _, opponent := range baselines {
		if done[opponent] {
			continue
		}
		if err := r.playFinally(ctx, opponent); err != nil {
			return err
		}
	}
	if err := r.rate(ctx); err != nil {
		return err
	}
	return r.afterJudging(ctx)
}

// playFinally plays the newest checkpoint against a baseline.
func (r *run) playFinally(ctx context.Context, opponent string) error {
	pool, err := r.openPool()
	if err != nil {
		return err
	}
	r.progress("judging", 1)
	games := r.gamesWithin(finalShare(&r.config.Settings) / float64(len(baselines)))
	newest := pool.Number(rundir.CheckpointName(r.count.Generation))
	j, err := pool.Play(ctx, newest, pool.Number(opponent), games, r.Threads, true)
	if err != nil {
		return err
	}
	if err := r.chart(j.Generation, judgedScalars(j)); err != nil {
		return err
	}
	r.tell(Event{Judged: j})
	return nil
}

// rate rates the newest checkpoint, if that is not done yet, within the time that is due since the judging before. What
// an earlier process did of it counts.
func (r *run) rate(ctx context.Context) error {
	generation := r.count.Generation
	if table, err := rundir.ReadRatings(r.Dir); err == nil && table.Find(generation) != nil {
		return nil
	}
	pool, err := r.openPool()
	if err != nil {
		return err
	}
	left, err := r.ratingTime()
	if err != nil {
		return err
	}
	newest := pool.Number(rundir.CheckpointName(generation))
	err = pool.Rate(ctx, ratings.Options{
		Wanted: []int{newest}, Players: append(append(pool.Baselines(), pool.Played()...), newest),
		Time: left, Guess: r.secondsOfGame(), Threads: r.Threads,
		Progress: func(ratings.Progress) { r.progress("judging", 1) },
		Warn:     func(err error) { r.tell(Event{Note: fmt.Sprintf("%v; rating without it", err)}) },
	})
	if err != nil {
		return err
	}
	table, err := pool.Write()
	if err != nil {
		return err
	}
	rated := table.Find(generation)
	if rated == nil {
		return nil // it is damaged, as was noted
	}
	if err := r.chart(generation, ratedScalars(rated)); err != nil {
		return err
	}
	r.tell(Event{Rated: rated})
	return nil
}

// ratingTime is what is left of the time for the judging that is due: the share of the time since the judging before.
func (r *run) ratingTime() (time.Duration, error) {
	judged, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return 0, err
	}
	g, every := r.count.Generation, r.judgingEvery()
	since := float64(g-(g-1)/every*every) / float64(g)
	seconds := wayShare(&r.config.Settings) * time.Since(r.started).Seconds() * since
	for _, j := range judged {
		if j.Generation == g && !j.Final {
			seconds -= j.Seconds
		}
	}
	return time.Duration(max(seconds, 1e-9) * float64(time.Second)), nil // 0 would be no limit
}

// openPool opens the run's pool, and notes what of its matches cannot be read.
func (r *run) openPool() (*ratings.Pool, error) {
	if r.balance == nil {
		r.balance = match.NewBalanceChecker(r.Game)
	}
	pool, warnings, err := ratings.Open(r.Dir, r.Game, ratings.DefaultSimulations, baselines, r.balance)
	for _, w := range warnings {
		r.tell(Event{Note: fmt.Sprintf("%v; rating without it", w)})
	}
	return pool, err
}

// afterJudging does what belongs to a judging and is no match.
func (r *run) afterJudging(ctx context.Context) error { return r.check(ctx) }

// secondsOfGame is about how long a game of the newest checkpoint takes for its own moves, half of a game's: they are
// searched with more simulations than those of self-play.
func (r *run) secondsOfGame() float64 {
	more := float64(ratings.DefaultSimulations) / float64(r.config.Settings.Simulations)
	return r.count.meanPlies(r.Game) / 2 * more / r.positionsPerSecond()
}

// positionsPerSecond is self-play's speed.
func (r *run) positionsPerSecond() float64 {
	if r.speed > 0 {
		return r.speed
	}
	return max(float64(r.count.Positions), 1) / max(r.count.Seconds, 1) // nothing was played in this process yet
}

// gamesWithin is how many games against a baseline fit into a share of the run's time, an even number.
func (r *run) gamesWithin(share float64) int {
	expected := r.config.Plan.Seconds
	if expected == 0 {
		expected = time.Since(r.started).Seconds() / float64(max(1, r.count.Generation)) * float64(r.config.Plan.Generations)
	}
	games := int(share * expected / r.secondsOfGame())
	return min(max(games&^1, 4), mostMatches)
}

// dropNewerRatings rates anew where ratings.json speaks of generations after the checkpoint, whose matches are gone.
func (r *run) dropNewerRatings() error {
	table, err := rundir.ReadRatings(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if newest := table.Newest(); newest == nil || *newest.Generation <= r.count.Generation {
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
