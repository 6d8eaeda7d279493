package train

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/plan"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/suite"
)

// Numbers of games of a checkpoint against the run's opponent.
const (
	firstGames   = 16  // before the result decides whether more are worth their time
	interimGames = 100 // at most, for a checkpoint before the last
	finalGames   = 400 // at most, for the last one
)

// meter measures a run: the score of its newest checkpoint against one opponent, see [shipped.Opponent], and the error
// in the suite of solved positions of the run's largest board that has one. It has its own random streams, so games and
// weights do not depend on it. It does not rate: ratings need opponents near in strength, which "ludus rate" chooses
// when the run has finished.
type meter struct {
	*state
	balance *match.BalanceChecker // chooses openings; nil until needed
	suite   *suite.Suite          // nil until needed, or if no board has one
}

// measure measures the newest checkpoint. It skips work that an earlier process has done.
func (m *meter) measure(ctx context.Context) error {
	final := m.count.Generation >= m.config.Plan.Last()
	if err := m.playOpponent(ctx, final); err != nil {
		return err
	}
	return m.testOnSuite(ctx, final)
}

// playOpponent plays the newest checkpoint against the opponent, for as long as the run's share of time for it allows.
// Time that does not suffice for firstGames is left for later checkpoints, but the last one plays in any case. A
// checkpoint that wins or loses all its first games plays no more, unless it is the last.
func (m *meter) playOpponent(ctx context.Context, final bool) error {
	p, err := m.played()
	if err != nil {
		return err
	}
	before, due := p.games, m.secondsDue(p.last, final)
	for err == nil {
		games := p.next(due, final) &^ 1 // even: games come in pairs
		if games < firstGames {
			break
		}
		m.progress(Testing, 0)
		var result *rundir.MatchResult
		if result, err = m.play(ctx, games); err != nil || result.Games == 0 {
			break // result.Games is 0 if the two have played all openings
		}
		p, err = m.played()
	}
	if errors.Is(err, agent.ErrWeights) { // a damaged checkpoint
		m.note("%v; its strength is not measured", err)
		return nil
	}
	if err == nil && p.games > before {
		m.Observe(Event{Score: &p.score})
	}
	return err
}

// play plays a match of the newest checkpoint against the opponent and writes it to arena.jsonl.
func (m *meter) play(ctx context.Context, games int) (*rundir.MatchResult, error) {
	pool, err := m.openPool()
	if err != nil {
		return nil, err
	}
	newest, opponent := pool.Index(rundir.CheckpointName(m.count.Generation)), pool.Index(shipped.Opponent(m.Game))
	return pool.Play(ctx, newest, opponent, games, m.Threads, true) // a match of training
}

// next returns how many games the newest checkpoint should play next, if due seconds may be spent in all on its games.
func (p *played) next(due float64, final bool) int {
	affordable := int((due - p.seconds) / p.secondsPerGame)
	switch {
	case p.games == 0 && (final || affordable >= firstGames):
		return firstGames
	case final:
		return min(affordable, finalGames-p.games)
	case p.score.Value == 0 || p.score.Value == 1: // more games would tell little
		return 0
	}
	return min(affordable, interimGames-p.games)
}

// played is what checkpoints have played against the opponent.
type played struct {
	score          rundir.Score // of the newest checkpoint
	games          int          // of the newest checkpoint; 0: it has no score
	seconds        float64      // spent on them
	secondsPerGame float64      // of all checkpoints; estimated before the first match
	last           int          // last generation before the newest that has played; 0: none
}

// played reads what checkpoints have played against the opponent.
func (m *meter) played() (p played, err error) {
	matches, _, err := rundir.MatchesFile.Read(m.Dir)
	if err != nil {
		return p, err
	}
	opponent, games, seconds := shipped.Opponent(m.Game), 0, 0.0
	for i := range matches {
		x := &matches[i]
		switch {
		case x.Opponent != opponent || x.Agent != rundir.CheckpointName(x.Generation):
			continue
		case x.Generation == m.count.Generation:
			p.games, p.seconds = p.games+x.Games, p.seconds+x.Seconds
		default:
			p.last = max(p.last, x.Generation)
		}
		games, seconds = games+x.Games, seconds+x.Seconds
	}
	p.secondsPerGame = m.secondsPerGame()
	if games > 0 && seconds > 0 {
		p.secondsPerGame = seconds / float64(games)
	}
	for _, s := range rundir.Scores(matches, opponent, shipped.Digest(m.Game)) {
		if s.Generation == m.count.Generation {
			p.score = s
		}
	}
	return p, nil
}

// secondsDue is the time for matches of the newest checkpoint: its share of the time since generation last, and for the
// last checkpoint of the run the share for its end.
func (m *meter) secondsDue(last int, final bool) float64 {
	g, elapsed := float64(m.count.Generation), m.clock.Elapsed().Seconds()
	seconds := plan.InterimShare(&m.config.Settings) * elapsed * (g - float64(last)) / g
	if final {
		whole := elapsed
		if p := &m.config.Plan; p.Seconds > 0 && !p.CPU {
			whole = p.Seconds
		}
		seconds += plan.FinalShare(&m.config.Settings) * whole
	}
	return seconds
}

// secondsPerGame estimates the seconds of a match game before there was one, from the speed of self-play. The opponent
// is taken to think as long as the checkpoint.
func (m *meter) secondsPerGame() float64 {
	speed := m.clock.Speed
	if speed == 0 { // this process has not played yet
		speed = float64(max(m.count.Generation*plan.Positions(&m.config.Plan), 1)) / max(m.count.Seconds, 1)
	}
	simulations := agent.DefaultSimulations / float64(m.config.Settings.Simulations)
	return m.meanPlies(m.Game) * simulations / speed
}

// openPool opens the rating pool of the run, and notes unreadable lines of matches.
func (m *meter) openPool() (*ratings.Pool, error) {
	if m.balance == nil {
		m.balance = match.NewBalanceChecker(m.Game)
	}
	pool, warnings, err := ratings.Open(m.Dir, m.Game, agent.DefaultSimulations, []string{ratings.Anchor, shipped.Opponent(m.Game)}, m.balance)
	for _, w := range warnings {
		m.note("%v", w)
	}
	return pool, err
}

// dropRatingsAfter rebuilds the ratings.json of a run that "ludus rate" has rated, from the remaining matches, if the
// file is unreadable or lists checkpoints newer than generation. The matches of those checkpoints have already been
// deleted.
func (m *meter) dropRatingsAfter(generation int) error {
	table, err := rundir.ReadRatings(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	newer := func(a rundir.Rating) bool { return a.Generation != nil && *a.Generation > generation }
	if err == nil && !slices.ContainsFunc(table.Agents, newer) {
		return nil
	}
	pool, err := m.openPool()
	if err != nil {
		return err
	}
	_, err = pool.Write()
	return err
}

// Each measured checkpoint is tested on the run's suite, without and with search. All tests of a run use the same
// positions: one per searchedPerTested positions that the run had searched by its first test. Testing a move takes
// about as long as playing and learning 1.6 positions, so all tests take about 1 % of a run's time. A run too short for
// [suite.MinPositions] tests that many at its end.
const maxTested = 500 // largest number of positions

var searchedPerTested = 160 // a variable for tests

// testOnSuite tests the newest checkpoint on the run's suite if there is one. final: it is the last of the run.
func (m *meter) testOnSuite(ctx context.Context, final bool) error {
	for i := len(m.games) - 1; m.suite == nil && i >= 0; i-- {
		m.suite, _ = suite.Shipped(m.games[i])
	}
	if m.suite == nil {
		return nil
	}
	results, _, err := rundir.SuiteFile.Read(m.Dir)
	if err != nil {
		return err
	}
	positions := min(m.count.Positions/searchedPerTested, maxTested)
	switch {
	case len(results) > 0:
		positions = results[0].Positions
	case positions < suite.MinPositions && !final:
		return nil
	}
	positions = max(positions, suite.MinPositions)
	for _, kind := range []string{"policy", "net"} {
		done := slices.ContainsFunc(results, func(result rundir.SuiteResult) bool {
			return result.Agent == kind && result.Generation == m.count.Generation
		})
		if done {
			continue
		}
		if err := m.testAgent(ctx, kind, positions); err != nil {
			return err
		}
	}
	return nil
}

// testAgent tests the newest checkpoint, with (kind net) or without search (kind policy), on suite positions.
func (m *meter) testAgent(ctx context.Context, kind string, positions int) error {
	generation := m.count.Generation
	spec := agent.Spec{Kind: agent.Kind(kind), Network: agent.CheckpointOf(m.Dir, generation)}
	m.progress(Testing, 0)
	o := suite.TestOptions{Threads: m.Threads, Positions: positions, Seed: m.config.Seed}
	report, err := m.suite.Test(ctx, agent.NewFactory(m.suite.Game, spec, shipped.Loader(m.suite.Game, rundir.LoadWeights)), o)
	if err != nil {
		return err
	}
	result := &rundir.SuiteResult{
		Generation: generation, Agent: kind, Positions: report.Positions,
		Error: report.Error.Value, Low: report.Error.Low, High: report.Error.High,
		Loss: report.Loss.Value, LossLow: report.Loss.Low, LossHigh: report.Loss.High,
	}
	if m.suite.Game != m.Game {
		result.Game = m.suite.Game.Name
	}
	if err := rundir.SuiteFile.Append(m.Dir, result); err != nil {
		return err
	}
	m.Observe(Event{Suite: result})
	return nil
}
