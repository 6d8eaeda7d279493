package book

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/memory"
)

// Options configure [Make].
type Options struct {
	Agent     *agent.Factory // searches the positions; without a time limit, no program
	Plies     int            // most moves from the start to a position, 0 or more
	Positions int            // most positions, 1 or more
	Seed      uint64         // of the agent's random choices in each position
	Threads   int            // goroutines at most, each with its own agent; 1 or more
	// File is the path of the book. It gets every search as soon as it is finished. If it exists, Make continues or
	// extends it, which needs the same agent and seed.
	File string
	// Games are the games to count, as moves from the start; nil counts none.
	Games iter.Seq2[[]env.Action, error]
	// Progress, if set, is called after every search. Calls do not overlap.
	Progress func(searched int)
}

var (
	// ErrAgent is wrapped by errors about an agent that cannot make a book.
	ErrAgent = errors.New("this agent cannot make a book")
	// ErrOther means that the file is a book that Make cannot continue.
	ErrOther = errors.New("it is another book")
)

// Make makes a book and returns it. The file depends on the agent, Plies, Positions, Seed and Games only, unless it
// existed with other Plies. Errors wrap ErrAgent, ErrBook or ErrOther, or are those of loading the agent, of the file
// system, of Games, and ctx's.
func Make(ctx context.Context, o Options) (*Book, error) {
	m, err := newMaker(&o)
	if err != nil {
		return nil, err
	}
	for range cap(m.agents) {
		a, err := o.Agent.New(o.Seed)
		if err != nil {
			return nil, err
		}
		m.agents <- a
	}
	for m.book.Positions() < o.Positions {
		next := m.next()
		if len(next) == 0 {
			break
		}
		err := m.searchAll(ctx, next)
		if err != nil {
			return nil, err
		}
	}
	m.book.settle()
	return m.book, checkpoints.WriteLines(o.File, m.book.lines())
}

// maker is the state of Make.
type maker struct {
	*Options
	book     *Book
	old      *Book            // the file's searches
	agents   chan agent.Agent // those that search nothing now, one per thread in all
	mutex    sync.Mutex       // held while the file is written and during calls of Progress
	searched int
	begun    bool // whether the file exists
}

// newMaker checks the options, and reads the file if it exists.
func newMaker(o *Options) (*maker, error) {
	if o.Agent.Outside() || o.Agent.Timed() {
		return nil, fmt.Errorf("%w: %v is a program or has a time limit, so its searches do not repeat; leave time= out", ErrAgent, o.Agent)
	}
	if o.Agent.Elo > 0 || o.Agent.Book != "" {
		return nil, fmt.Errorf("%w: %v is weakened or has a book itself; leave elo= and book= out", ErrAgent, o.Agent)
	}
	origin, err := o.Agent.Load()
	if err != nil {
		return nil, err
	}
	game := o.Agent.Game
	b := newBook(game, Origin{Agent: o.Agent.String(), Network: origin.Digest, Seed: o.Seed})
	m := &maker{Options: o, book: b, old: b, agents: make(chan agent.Agent, memory.Threads(o.Threads, o.Agent.MemoryBytes()))}
	if o.Games != nil {
		err := b.Count(o.Games, o.Plies+1) // after moves from the last positions
		if err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(o.File)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	old, err := parse(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", o.File, err)
	case old.CheckGame(game) != nil || old.Origin != b.Origin:
		return nil, fmt.Errorf("%s: %w: of %s by %s with seed %d", o.File, ErrOther, old.Game.Name, old.Origin.Agent, old.Origin.Seed)
	case old.Positions() > o.Positions:
		return nil, fmt.Errorf("%s: %w: it has %d positions already; ask for as many or more", o.File, ErrOther, old.Positions())
	}
	m.old, m.begun = old, true
	old.Games, old.games = b.Games, b.games
	return m, checkpoints.WriteLines(o.File, old.lines())
}

// A round searches at least minRound positions, or the share 1/roundShare of the book's. Values are backed up once a
// round.
const (
	minRound   = 16
	roundShare = 16
)

// next returns the positions to search next, the most probable first; none if no position is left.
func (m *maker) next() []*Node {
	b := m.book
	if len(b.list) == 0 {
		key, _ := b.Game.NewState().CanonicalKey()
		return []*Node{b.nodes[key]}
	}
	order := b.settle()
	for _, n := range b.nodes {
		n.reach = [2]float64{}
	}
	var open []*Node // not searched, in the order in which they were found
	found := map[*Node]bool{}
	for _, n := range b.list {
		for i := range n.Moves {
			if next := n.Moves[i].Next; next != nil && next.search == nil && len(next.Line) <= m.Plies && !found[next] {
				found[next] = true
				open = append(open, next)
			}
		}
	}
	b.Start().reach = [2]float64{1, 1}
	for _, n := range slices.Backward(order) {
		n.spread()
	}
	slices.SortStableFunc(open, func(x, y *Node) int { return cmp.Compare(y.reach[0]+y.reach[1], x.reach[0]+x.reach[1]) })
	return open[:min(len(open), max(minRound, len(b.list)/roundShare), m.Positions-len(b.list))]
}

// Constants of spread.
const (
	lossScale        = 0.05 // utility: a move that loses as much counts e times less than one that loses nothing
	alternative      = 0.5  // weight of a move as good as the best
	replyTemperature = 2.
)

// spread adds a position's reach to that of the positions after its moves. For the player who follows the book, reach
// is the probability of the opponent's moves that lead to the position, times a weight for moves of its own that are
// not the best: they may turn out to be better. A position that is reached in several ways has the sum.
func (n *Node) spread() {
	total := 0.0
	for i := range n.Moves {
		total += n.weight(&n.Moves[i])
	}
	for i := range n.Moves {
		m := &n.Moves[i]
		if m.Next == nil {
			continue
		}
		own := alternative * math.Exp(-max(0, n.Moves[n.best].Value-m.Value)/lossScale)
		reply := n.weight(m) / total / 2
		if i == n.best {
			own, reply = 1, reply+0.5
		}
		m.Next.reach[n.player] += own * n.reach[n.player]
		m.Next.reach[n.player.Opponent()] += reply * n.reach[n.player.Opponent()]
	}
}

// weight is in proportion to the probability that a weaker opponent makes a move: by prior, without priors by visits,
// and without these the same for all moves.
func (n *Node) weight(m *Move) float64 {
	p := m.Prior
	if n.Moves[0].Prior == 0 {
		p = float64(m.Visits)
	}
	return math.Pow(max(p, 1e-4), 1/replyTemperature)
}

// searchAll searches positions on the threads and adds them to the book in their order.
func (m *maker) searchAll(ctx context.Context, nodes []*Node) error {
	found := make([]*search, len(nodes))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(m.agents))
	for i, n := range nodes {
		group.Go(func() (err error) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a := <-m.agents
			defer func() { m.agents <- a }()
			found[i], err = m.search(ctx, a, n)
			return err
		})
	}
	err := group.Wait()
	if err != nil {
		return err
	}
	for i, n := range nodes {
		m.book.add(n, found[i])
	}
	return nil
}

// search returns the search of a position: the file's, or a new one, which it adds to the file.
func (m *maker) search(ctx context.Context, a agent.Agent, n *Node) (*search, error) {
	state, _ := env.Replay(m.book.Game, n.Line) // lines are legal
	if old := m.old.Find(state); old != nil {
		n.Line = old.Line // the moves of old are those after its line
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.searched++
		return old.search, nil
	}
	agent.Restart(a, m.Seed, n.Line)
	analysis, err := a.Analyze(ctx, state, 0)
	if err != nil {
		return nil, err
	}
	s := &search{proven: analysis.Proven}
	for _, info := range analysis.Moves {
		if info.Value == nil {
			continue
		}
		e := estimate{action: info.Action, value: round(*info.Value)}
		if info.Visits != nil {
			e.visits = *info.Visits
		}
		if info.Prior != nil {
			e.prior = round(*info.Prior)
		}
		s.moves = append(s.moves, e)
	}
	if analysis.Value == nil || len(s.moves) == 0 {
		return nil, fmt.Errorf("%w: %v does not evaluate positions and moves; zoo, net:PATH, mcts:N and alphabeta:D do", ErrAgent, m.Agent)
	}
	s.value = round(*analysis.Value)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.searched++
	if !m.begun {
		err = checkpoints.AppendLine(m.File, m.book.header())
		m.begun = err == nil
	}
	if err == nil {
		err = checkpoints.AppendLine(m.File, m.book.searchLine(n.Line, s))
	}
	if err == nil && m.Progress != nil {
		m.Progress(m.searched)
	}
	return s, err
}
