package match

import (
	"context"
	"sync"
	"time"
)

// A call of Progress blocks the threads. Calls are at least progressEvery apart, and progressCost times the duration of the
// last call, so they take at most 5 % of the time.
const (
	progressEvery = 100 * time.Millisecond
	progressCost  = 20
)

// state is the state of a match being played, shared by its threads.
type state struct {
	config   *Config
	stop     context.CancelFunc // cancels the threads once the SPRT is decided
	started  time.Time
	openings *openings

	mutex      sync.Mutex      // guards the fields below
	file       *fileWriter     // nil if the match has no file
	games      []*finishedGame // by number; nil if unfinished
	next       int             // number of the next game to start
	finished   int
	prefix     int    // number of games before the first unfinished one
	counts     [5]int // complete pairs, without repeats, by A's points: 0, 1/2, 1, 3/2, 2
	pairs      pairsPlayed
	test       SPRTResult
	decidedAt  int       // number of games after which the SPRT ended the match; 0 if it has not
	progressAt time.Time // time of the next call of Progress
}

// newState starts a match, or continues one with the games of its file.
func newState(ctx context.Context, c *Config, stop context.CancelFunc) (*state, error) {
	s := &state{
		config: c, stop: stop, started: time.Now(), openings: newOpenings(c), games: make([]*finishedGame, c.Games),
		pairs: make(pairsPlayed),
	}
	if c.SPRT != nil {
		s.test = c.SPRT.test(s.counts[:])
	}
	if c.File == "" {
		return s, nil
	}
	var err error
	if s.file, err = openFile(ctx, c, s.openings, s.games); err != nil {
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

// finish adds a finished game to the file, the result and the SPRT, and reports progress.
func (s *state) finish(g *game) error {
	finished := newFinishedGame(g.number, g.opening, g.moves, g.state)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.file != nil {
		if err := s.file.add(g.number, finished); err != nil {
			return err
		}
	}
	s.games[g.number] = finished
	s.finished++
	s.updateTest()
	last := s.finished == s.config.Games || s.decidedAt > 0
	if s.config.Progress != nil && (last || time.Now().After(s.progressAt)) {
		called := time.Now()
		s.config.Progress(s.result())
		s.progressAt = time.Now().Add(max(progressEvery, progressCost*time.Since(called)))
	}
	return nil
}

// updateTest adds newly complete pairs to the SPRT, in the order of their numbers, so the result does not depend on which
// game ends first. It stops the match once the test is decided or a pair repeats an earlier one.
func (s *state) updateTest() {
	for ; s.decidedAt == 0 && s.prefix < len(s.games) && s.games[s.prefix] != nil; s.prefix++ {
		if s.config.SPRT == nil || s.prefix%2 == 0 {
			continue
		}
		pair := s.games[s.prefix-1 : s.prefix+1]
		s.test.Exhausted = s.config.repeats(s.pairs, pair)
		if !s.test.Exhausted {
			s.counts[int(2*(pair[0].score()+pair[1].score()))]++
			s.test = s.config.SPRT.test(s.counts[:])
		}
		if s.test.Decision != Undecided || s.test.Exhausted {
			s.decidedAt = s.prefix + 1
			s.stop()
		}
	}
}

// decided reports whether the SPRT has ended the match.
func (s *state) decided() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.decidedAt > 0
}

// result sums up the games so far, or those before the SPRT ended the match. The caller holds the mutex, or the threads
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
