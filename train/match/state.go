package match

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Between two reports of progress, but the last, lie at least tellEvery and tellShare times what a report took: it sums
// up all games, while the other threads wait.
const (
	tellEvery = 100 * time.Millisecond
	tellShare = 20
)

// course is a match in play. The workers share it.
type course struct {
	match    *Config
	ctx      context.Context
	cancel   context.CancelFunc
	start    time.Time
	openings *openings

	mutex    sync.Mutex // guards what follows
	record   *record    // nil if none is kept
	games    []*played
	next     int // number of the game to be dealt next
	finished int
	whole    int        // games before the first one that is not finished
	counts   []int      // of the points of whole pairs, or of games where seats are fixed, but for repeats
	played   repertoire // the pairs so far
	test     SPRTResult
	ended    int       // games after which the test ended the match; 0 while it is open
	tell     time.Time // when progress is told next
	fault    error
}

// newCourse begins a match, or goes on with what its record holds.
func newCourse(ctx context.Context, m *Config, cancel context.CancelFunc) (*course, error) {
	c := &course{match: m, ctx: ctx, cancel: cancel, start: time.Now(), openings: newOpenings(m), games: make([]*played, m.Games),
		played: make(repertoire)}
	c.counts = make([]int, 2*m.perOpening()+1)
	if m.SPRT != nil {
		c.test = m.SPRT.judge(c.counts)
	}
	if m.Record == "" {
		return c, nil
	}
	var err error
	if c.record, err = openRecord(ctx, m, c.openings, c.games); err != nil {
		return nil, err
	}
	for _, g := range c.games {
		c.finished += truth(g != nil)
	}
	c.count()
	return c, nil
}

// deal begins the next game on a board, if there is one left.
func (c *course) deal(b *board) (ok bool, err error) {
	c.mutex.Lock()
	for c.next < len(c.games) && c.games[c.next] != nil {
		c.next++
	}
	i := c.next
	c.next++
	over := i >= len(c.games) || c.ended > 0
	c.mutex.Unlock()
	if over {
		return false, nil
	}
	opening, err := c.openings.get(c.ctx, c.match.opening(i))
	if err != nil || opening == nil {
		return false, err
	}
	c.match.begin(b, i, opening)
	return true, nil
}

// finish takes a finished game.
func (c *course) finish(i int, g *played) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.record != nil {
		if err := c.record.add(i, g); err != nil {
			return err
		}
	}
	c.games[i] = g
	c.finished++
	c.count()
	if m := c.match; m.Progress != nil && (c.finished == m.Games || c.ended > 0 || time.Now().After(c.tell)) {
		begun := time.Now()
		m.Progress(c.result())
		c.tell = time.Now().Add(max(tellEvery, tellShare*time.Since(begun)))
	}
	return nil
}

// count takes the pairs that have become whole to the test, in their order, and ends the match once they decide it, or
// only repeat: so it does not matter which game ends first.
func (c *course) count() {
	size := c.match.perOpening()
	for ; c.ended == 0 && c.whole < len(c.games) && c.games[c.whole] != nil; c.whole++ {
		if c.match.SPRT == nil || (c.whole+1)%size > 0 {
			continue
		}
		pair := c.games[c.whole+1-size : c.whole+1]
		if c.test.Exhausted = !c.match.draws() && c.played.again(pair); !c.test.Exhausted {
			points := 0.0
			for _, g := range pair {
				points += g.score()
			}
			c.counts[int(2*points)]++
			c.test = c.match.SPRT.judge(c.counts)
		}
		if c.test.Verdict != Undecided || c.test.Exhausted {
			c.ended = c.whole + 1
			c.cancel()
		}
	}
}

// result sums up the games so far, or those after which the test ended the match.
func (c *course) result() Result {
	games := c.games
	if c.ended > 0 {
		games = games[:c.ended]
	}
	r := c.match.result(games)
	r.SPRT, r.Seconds = c.test, time.Since(c.start).Seconds()
	return r
}

// fail ends the match, unless its test has, by the first error, but for those that only follow from another.
func (c *course) fail(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ended == 0 && (c.fault == nil || errors.Is(c.fault, context.Canceled)) {
		c.fault = err
	}
	c.cancel()
}

// close ends the record and says what the match ended by.
func (c *course) close() error {
	if c.record != nil {
		c.fault = errors.Join(c.fault, c.record.close())
	}
	return c.fault
}
