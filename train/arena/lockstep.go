package arena

import (
	"context"

	"ludus/env"
)

// patient is an agent whose choice can wait for its judge, so that the leaves of many games are evaluated together. It
// chooses what [Agent.Choose] would.
type patient interface {
	Agent
	// begin starts to choose a move in state, which stays as it is until the choice is made.
	begin(state env.State)
	// proceed goes on with the choice until it is made, or until it has asked its judge and must wait for the answer. The
	// only error is that of a cancelled ctx, after which the agent needs a reset.
	proceed(ctx context.Context) (a env.Action, done bool, err error)
}

// board is a game of a match in play.
type board struct {
	agents  [2]Agent // A's and B's
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
func (b *board) choose(ctx context.Context, agent Agent) (a env.Action, done bool, err error) {
	p, ok := agent.(patient)
	if b.alone || !ok {
		a, err = agent.Choose(ctx, b.state)
		return a, err == nil, err
	}
	if !b.waiting {
		p.begin(b.state)
	}
	a, done, err = p.proceed(ctx)
	b.waiting = !done
	return a, done, err
}

const (
	// mostBoards is how many games a worker plays at once: enough for their leaves to fill batches, and few enough for
	// their trees to stay in a core's cache.
	mostBoards = 32
	// treeBytes bounds the memory of a worker's trees, of which a simulation takes some simulationBytes, and of the tables
	// of its solvers: of large searches fewer are in flight at once.
	treeBytes       = 128 << 20
	simulationBytes = 1 << 10
)

// boards is how many games each of the workers plays at once. Games at once only help networks; and a move that has a
// time to keep must not wait for other games.
func (m *Match) boards(workers int) int {
	if m.A.options.Time > 0 || m.B.options.Time > 0 || m.A.path == "" && m.B.path == "" {
		return 1
	}
	return max(1, min(mostBoards, (m.Games+workers-1)/workers, treeBytes/(m.A.bytes()+m.B.bytes())))
}

// bytes is about what the trees and tables of one of the agents take, 1 at least.
func (s *Spec) bytes() int {
	if s.kind == "solver" {
		return solvingBytes(s.number)
	}
	return 1 + simulationBytes*s.simulations()
}

// worker plays games of a match, some at once. It owns all that they need for it.
type worker struct {
	course *course
	judges *judges
	idle   []*board
	active []*board // in play
}

// newWorker makes a worker, one of so many, that plays on so many boards.
func newWorker(c *course, workers, boards int) (*worker, error) {
	m := c.match
	games := min(m.Games/workers+1, mostBoards)
	game := min((m.A.simulations()+m.B.simulations())*m.Game.MaxPlies/2, mostMatchEntries)
	w := &worker{course: c, judges: &judges{entries: entriesFor(games*game, mostMatchEntries)}}
	for range boards {
		b := &board{alone: boards == 1}
		for side, spec := range []*Spec{m.A, m.B} {
			agent, err := spec.build(w.judges)
			if err != nil {
				return nil, err
			}
			b.agents[side] = agent
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
		w.judges.answerAll()
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
