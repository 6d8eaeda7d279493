package match

import (
	"context"

	"ludus/env"
	"ludus/train/agent"
)

// board is a game of a match in play.
type board struct {
	agents  [2]agent.Agent // A's and B's
	number  int
	game    *played
	state   env.State
	alone   bool // no other game is played beside it, so that nobody needs to wait
	waiting bool // the side to move waits for its judge
}

// advance plays on until the game is over, which it returns, or the side to move waits for its judge.
func (b *board) advance(ctx context.Context) (over bool, err error) {
	for !b.state.Done() {
		side := 0
		if b.game.first != (b.state.Player() == env.First) {
			side = 1
		}
		a, done, err := b.choose(ctx, b.agents[side])
		if err != nil || !done {
			return false, err
		}
		b.state.Apply(a)
		b.game.moves = append(b.game.moves, a)
		b.agents[0].Observe(a)
		b.agents[1].Observe(a)
	}
	b.game.end(b.state)
	return true, nil
}

// choose goes on with the choice of a move.
func (b *board) choose(ctx context.Context, player agent.Agent) (a env.Action, done bool, err error) {
	p, ok := player.(*agent.Batched)
	if b.alone || !ok {
		a, err = player.Choose(ctx, b.state)
		return a, err == nil, err
	}
	if !b.waiting {
		p.Begin(b.state)
	}
	a, done, err = p.Proceed(ctx)
	b.waiting = !done
	return a, done, err
}

// boards is how many games each of the workers plays at once. Games at once only help networks; and a move that has a
// time to keep must not wait for other games.
func (m *Config) boards(workers int) int {
	if m.A.Timed() || m.B.Timed() || !m.A.HasNetwork() && !m.B.HasNetwork() {
		return 1
	}
	return max(1, min(agent.MaxBatched, (m.Games+workers-1)/workers, agent.MaxMemoryBytes/(m.A.MemoryBytes()+m.B.MemoryBytes())))
}

// worker plays games of a match, some at once. It owns all that they need for it.
type worker struct {
	course   *course
	batchers *agent.Batchers
	idle     []*board
	active   []*board // in play
}

// newWorker makes a worker, one of so many, that plays on so many boards.
func newWorker(c *course, workers, boards int) (*worker, error) {
	m := c.match
	games := min(m.Games/workers+1, agent.MaxBatched)
	perGame := (m.A.ExpectedSimulations() + m.B.ExpectedSimulations()) * m.Game.MaxPlies / 2
	w := &worker{course: c, batchers: agent.NewBatchers(games * perGame)}
	for range boards {
		b := &board{alone: boards == 1}
		for side, factory := range []*agent.Factory{m.A, m.B} {
			player, err := factory.NewBatched(w.batchers)
			if err != nil {
				return nil, err
			}
			b.agents[side] = player
		}
		w.idle = append(w.idle, b)
	}
	return w, nil
}

// play plays games until none is left.
func (w *worker) play(ctx context.Context) error {
	for {
		if err := w.fill(); err != nil || len(w.active) == 0 {
			return err
		}
		if err := w.advance(ctx); err != nil {
			return err
		}
		w.batchers.Flush()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// fill begins games on the idle boards.
func (w *worker) fill() error {
	for len(w.idle) > 0 {
		last := len(w.idle) - 1
		if ok, err := w.course.deal(w.idle[last]); err != nil || !ok {
			return err
		}
		w.active, w.idle = append(w.active, w.idle[last]), w.idle[:last]
	}
	return nil
}

// advance takes every game as far as it goes without an answer of a judge.
func (w *worker) advance(ctx context.Context) error {
	playing := w.active
	w.active = w.active[:0]
	for _, b := range playing {
		over, err := b.advance(ctx)
		switch {
		case err != nil:
			return err
		case over:
			if err := w.course.finish(b.number, b.game); err != nil {
				return err
			}
			w.idle = append(w.idle, b)
		default:
			w.active = append(w.active, b)
		}
	}
	return nil
}
