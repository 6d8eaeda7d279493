package train

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"ludus/checkpoints"
	"ludus/train/arena"
)

// A run is judged against baselines by matches between generations, which never touch training's generators: judgings
// times on its way, each for about judgeShare of the time expected, and finally for finalShare; that is 4 % in all.
const (
	judgings    = 10
	judgeShare  = 0.002
	finalShare  = 0.02
	mostMatches = 100 // games of a match
	openings    = 2   // random plies that its games start with
)

// baselines judge a finished run; the last one judges it on its way too.
var baselines = []string{"random", "greedy", "mcts:200"}

// Judged is one line of arena.jsonl: a match of the averaged weights, at the default agent's simulations, for them.
type Judged struct {
	Generation int    `json:"generation"`
	Agent      string `json:"agent"`
	Opponent   string `json:"opponent"`
	Final      bool   `json:"final,omitempty"`
	arena.Result
}

// judgingDue says whether the run is judged after the generation counted last.
func (r *run) judgingDue() bool {
	every := (r.config.Plan.Generations + judgings - 1) / judgings
	return r.count.Generation%every == 0 || r.count.Generation >= r.config.Plan.Last()
}

// judgeNow plays the match that is due on the way after the generation counted last, if one is.
func (r *run) judgeNow(ctx context.Context) error {
	if !r.judgingDue() || r.count.Generation >= r.config.Plan.Last() {
		return nil
	}
	if err := r.judge(ctx, baselines[len(baselines)-1], judgeShare, false); err != nil {
		return err
	}
	return r.check(ctx)
}

// judgeFinally plays the matches that are missing for the last generation.
func (r *run) judgeFinally(ctx context.Context) error {
	judged, err := readJudged(r.Dir)
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
		if err := r.judge(ctx, opponent, finalShare/float64(len(baselines)), true); err != nil {
			return err
		}
	}
	return r.check(ctx)
}

// judge plays the newest checkpoint against opponent for about a share of the time that the run is expected to take.
func (r *run) judge(ctx context.Context, opponent string, share float64, final bool) error {
	agent := fmt.Sprintf("net:%s@%d", r.Dir, r.count.Generation)
	a, err := arena.Parse(r.Game, agent)
	if err != nil {
		return err
	}
	b, err := arena.Parse(r.Game, opponent)
	if err != nil {
		return err
	}
	r.progress("judging", 1)
	match := arena.Match{
		Game: r.Game, A: a, B: b, Games: r.gamesWithin(share), Openings: openings, Threads: r.Threads,
		Seed: newPCG(r.config.Seed, "judge "+opponent, r.count.Generation).Uint64(),
	}
	match.Progress = func(arena.Result) { r.progress("judging", 1) }
	result, err := match.Run(ctx)
	if err != nil {
		return err
	}
	j := &Judged{Generation: r.count.Generation, Agent: agent, Opponent: opponent, Final: final, Result: result}
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := checkpoints.AppendLine(filepath.Join(r.Dir, "arena.jsonl"), line); err != nil {
		return err
	}
	if err := r.chart(j.Generation, j.scalars()); err != nil {
		return err
	}
	r.tell(Event{Judged: j})
	return nil
}

// gamesWithin is how many games fit into a share of the run's time, an even number. A game is reckoned to take as long as
// one of self-play: the agent plays every other ply only, with more simulations, and wins soon.
func (r *run) gamesWithin(share float64) int {
	expected := r.config.Plan.Seconds
	if expected == 0 {
		expected = time.Since(r.started).Seconds() / float64(max(1, r.count.Generation)) * float64(r.config.Plan.Generations)
	}
	speed := r.speed
	if speed == 0 { // nothing played in this process yet
		speed = float64(r.count.Positions) / max(r.count.Seconds, 1)
	}
	games := int(share * expected * speed / r.count.meanPlies(r.Game))
	return min(max(games&^1, 4), mostMatches)
}

// readJudged reads arena.jsonl of a run directory.
func readJudged(dir string) ([]Judged, error) {
	return readLines[Judged](filepath.Join(dir, "arena.jsonl"))
}
