package match

import (
	"context"
	"sync"
	"time"
)

// Workers wait during a call of Progress. So the next call comes after progressEvery or, if a call takes long, after
// progressCost times its duration: calls take at most 5 % of the time.
const (
	progressEvery = 100 * time.Millisecond
	progressCost  = 20
)

// state is the state of a match in play. Its workers share it.
type state struct {
	config   *Config
	stop     context.CancelFunc // cancels the workers once the test is decided
	started  time.Time
	openings *openings

	mutex      sync.Mutex // guards what follows
	record     *recordWriter
	games      []*finishedGame // by number; nil if not finished
	next       int             // number of the game that starts next
	finished   int
	prefix     int   // number of games before the first unfinished one
	counts     []int // of complete pairs by points, or of games if seats are fixed; without repeats
	pairs      pairsPlayed
	test       SPRTResult
	decidedAt  int       // number of games after which the test ended the match; 0 if it has not
	progressAt time.Time // when Progress is called next
}

// newState starts a match, or continues one with the games of its record. s.record is nil if the match keeps none.
func newState(ctx context.Context, c *Config, stop context.CancelFunc) (*state, error) {
	s := &state{
		config: c, stop: stop, started: time.Now(), openings: newOpenings(c), games: make([]*finishedGame, c.Games),
		pairs: make(pairsPlayed), counts: make([]int, 2*c.gamesPerOpening()+1),
	}
	if c.SPRT != nil {
		s.test = c.SPRT.test(s.counts)
	}
	if c.Record == "" {
		return s, nil
	}
	var err error
	if s.record, err = openRecord(ctx, c, s.openings, s.games); err != nil {
		return nil, err
	}
	for _, g := range s.games {
		if g != nil {
			s.finished++
		}
	}
	s.updateTest()
	return s, nil
}

// start starts the next game in g. It returns false if no game or opening is left or the SPRT has ended the match.
func (s *state) start(ctx context.Context, g *game) (bool, error) {
	s.mutex.Lock()
	for s.next < len(s.games) && s.games[s.next] != nil {
		s.next++
	}
	i := s.next
	s.next++
	over := i >= len(s.games) || s.decidedAt > 0
	s.mutex.Unlock()
	if over {
		return false, nil
	}
	opening, err := s.openings.get(ctx, s.config.opening(i))
	if err != nil || opening == nil {
		return false, err
	}
	g.start(s.config, i, opening)
	return true, nil
}

// finish adds a finished game to the record, the result and the test, and reports progress.
func (s *state) finish(g *game) error {
	finished := s.config.newFinishedGame(g.number, g.opening, g.moves, g.state)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.record != nil {
		if err := s.record.add(g.number, finished); err != nil {
			return err
		}
	}
	s.games[g.number] = finished
	s.finished++
	s.updateTest()
	c, last := s.config, s.finished == s.config.Games || s.decidedAt > 0
	if c.Progress != nil && (last || time.Now().After(s.progressAt)) {
		called := time.Now()
		c.Progress(s.result())
		s.progressAt = time.Now().Add(max(progressEvery, progressCost*time.Since(called)))
	}
	return nil
}

// updateTest runs the test on newly complete pairs, in the order of their numbers, and stops the match once the test is
// decided or a pair repeats an earlier one. The order makes the result independent of which game ends first.
func (s *state) updateTest() {
	size := s.config.gamesPerOpening()
	for ; s.decidedAt == 0 && s.prefix < len(s.games) && s.games[s.prefix] != nil; s.prefix++ {
		if s.config.SPRT == nil || (s.prefix+1)%size > 0 {
			continue
		}
		pair := s.games[s.prefix+1-size : s.prefix+1]
		if s.test.Exhausted = !s.config.stochastic() && s.pairs.addAndCheckRepeat(pair); !s.test.Exhausted {
			points := 0.0
			for _, g := range pair {
				points += g.score()
			}
			s.counts[int(2*points)]++
			s.test = s.config.SPRT.test(s.counts)
		}
		if s.test.Decision != Undecided || s.test.Exhausted {
			s.decidedAt = s.prefix + 1
			s.stop()
		}
	}
}

// decided reports whether the test has ended the match.
func (s *state) decided() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.decidedAt > 0
}

// result sums up the games so far, or those before the test ended the match. The caller holds the mutex, or the workers
// have ended.
func (s *state) result() Result {
	games := s.games
	if s.decidedAt > 0 {
		games = games[:s.decidedAt]
	}
	r := s.config.result(games)
	r.SPRT, r.Seconds = s.test, time.Since(s.started).Seconds()
	return r
}
