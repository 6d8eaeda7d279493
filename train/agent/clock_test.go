package agent

import (
	"testing"
	"time"

	"ludus/env"
)

// A limit is the least of what is limited; a share leaves time for the moves to come.
func TestClock(t *testing.T) {
	game, _ := position(t, "othello")
	left := game.UsualPlies / 2
	for _, c := range []struct {
		clock        Clock
		plies        int
		limit, share time.Duration
	}{
		{Clock{}, 0, 0, 0},
		{Clock{Move: time.Second}, 0, time.Second, time.Second},
		{Clock{Left: [2]time.Duration{1, time.Duration(left) * time.Second}}, 0, time.Duration(left) * time.Second, time.Second},
		{Clock{Left: [2]time.Duration{1, 80 * time.Second}}, game.UsualPlies - 2, 80 * time.Second, 10 * time.Second},
		{Clock{Left: [2]time.Duration{1, 80 * time.Second}}, 10 * game.UsualPlies, 80 * time.Second, 10 * time.Second},
		{Clock{Move: time.Second, Left: [2]time.Duration{1, 80 * time.Second}}, game.UsualPlies, time.Second, time.Second},
		{Clock{Move: time.Minute, Left: [2]time.Duration{1, 80 * time.Second}}, game.UsualPlies, time.Minute, 10 * time.Second},
		{Clock{Left: [2]time.Duration{1, 2}}, 0, 2, 1},
	} {
		if limit, share := c.clock.Limit(env.Second), c.clock.Share(game, c.plies, env.Second); limit != c.limit || share != c.share {
			t.Errorf("%+v after %d plies: limit %v, share %v; want %v, %v", c.clock, c.plies, limit, share, c.limit, c.share)
		}
	}
}
