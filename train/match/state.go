package match

import (
	"context"
	"os"
	"sync"
	"time"
)

// A call of Progress blocks the threads. Calls are at least progressEvery apart, and progressCost times the duration of
// the last call, so they take at most 5 % of the time.
const (
	progressEvery = 100 * time.Millisecond
	progressCost  = 20
)

// state is the state of a match being played, shared by its threads.
type state struct {
	config   *Config
	started  time.Time
	openings *openings

	mutex      sync.Mutex      // guards the fields below
	file       *os.File        // nil if the match has no file
	games      []*finishedGame // by number, void ones too; nil if unfinished
	next       int             // number of the next game to start
	finished   int
	progressAt time.Time // time of the next call of Progress
}

// newState starts a match, or continues one with the games of its file.
func newState(ctx context.Context, c *Config) (*state, error) {
	s := &state{config: c, started: time.Now(), openings: newOpenings(c), games: make([]*finishedGame, c.Games)}
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
	return s, nil
}

// start starts the next game in g. It returns false if no game or opening is left.
func (s *state) start(ctx context.Context, g *game) (bool, error) {
	s.mutex.Lock()
	for s.next < len(s.games) && s.games[s.next] != nil {
		s.next++
	}
	i := s.next
	s.next++
	over := i >= len(s.games)
	s.mutex.Unlock()
	if over {
		return false, nil
	}
	opening, err := s.openings.get(ctx, s.config.opening(i))
	if err != nil || opening == nil {
		return false, err
	}
	err = g.start(ctx, i, opening)
	return err == nil, err
}

// finish adds a finished game to the file, unless it is void, and to the result, and reports progress.
func (s *state) finish(g *game) error {
	finished := g.finished()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.file != nil && !finished.ending.Void() {
		if err := finished.write(s.file, s.config.Game, g.number); err != nil {
			return err
		}
	}
	s.games[g.number] = finished
	s.finished++
	last := s.finished == s.config.Games
	if s.config.Progress != nil && (last || time.Now().After(s.progressAt)) {
		called := time.Now()
		s.config.Progress(s.result())
		s.progressAt = time.Now().Add(max(progressEvery, progressCost*time.Since(called)))
	}
	return nil
}

// result sums up the games so far. The caller holds the mutex, or the threads have ended.
func (s *state) result() Result {
	r := s.config.result(s.games)
	r.Seconds = time.Since(s.started).Seconds()
	return r
}
