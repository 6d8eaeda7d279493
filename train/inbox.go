package train

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ludus/env"
	"ludus/train/record"
	"ludus/train/rundir"
)

// heldGenerations is how many generations of positions an inbox holds; more stay in the stream. It must exceed 1, because
// nextFactor asks whether a whole generation is ready.
const heldGenerations = 2

// Limits of what an inbox remembers, in case somebody sends under many names.
const (
	maxProcesses = 2_000 // that play, with the numbers of their games; all are in each checkpoint, with about 60 bytes
	maxSenders   = 1_000 // names in the report
	maxProblem   = 200   // bytes of a name's problem; so the report fits into a message
)

// inbox receives games of workers while the run learns. It validates them, drops those that were received before, holds
// them until the run takes them, and acknowledges them when the run has committed them.
type inbox struct {
	workers Workers
	game    *env.Game
	run     string // its id
	dir     string // the run directory, for workers.json

	mu        sync.Mutex
	need      int                  // positions of a generation
	network   *Network             // the newest; nil before the first
	received  numbers              // games received, those in held included
	taken     numbers              // games that the run has taken
	heard     map[string]time.Time // when each process sent games last, if it did since the start
	open      map[gameID]*message  // by their first games: those with games that are held, or taken and not committed
	held      []delivered          // oldest first
	positions int                  // in held
	toCommit  []delivered          // taken since the last commit
	senders   map[string]*sender
	err       error // that ended receiving

	arrived, room chan struct{} // signals: held has grown or receiving has ended; held has shrunk
}

// gameID identifies a game.
type gameID struct {
	process string
	number  int
}

// delivered is valid games of one message, with consecutive numbers.
type delivered struct {
	*record.Message
	message *message
}

// message is a delivery with games that are not all committed.
type message struct {
	id          gameID // of its first game
	games       int    // to commit
	positions   int    // in all its games
	bytes       int
	acknowledge []func() // each delivery of it
}

// sender is what the report says about a worker.
type sender struct {
	rundir.WorkerStatus
	noted     int // missing games that the run's log mentions
	seen      time.Time
	since     time.Time // start of the count for the rate
	positions int       // received since then
}

// newInbox returns an inbox for the games that workers play for r.
func newInbox(r *run, workers Workers) *inbox {
	have := r.count.Received
	return &inbox{
		workers: workers, game: r.Game, run: r.config.ID, dir: r.Dir, need: r.generationPositions(),
		received: have.clone(), taken: have.clone(), open: map[gameID]*message{}, senders: map[string]*sender{}, heard: map[string]time.Time{},
		arrived: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
}

// start receives and reports until stop is called or ctx ends.
func (x *inbox) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var joined sync.WaitGroup
	joined.Go(func() {
		err := x.receive(ctx)
		x.mu.Lock()
		x.err = err
		x.mu.Unlock()
		signal(x.arrived)
	})
	joined.Go(func() { x.report(ctx) })
	return func() {
		cancel()
		joined.Wait()
	}
}

// receive receives until ctx ends or receiving fails, and returns the error.
func (x *inbox) receive(ctx context.Context) error {
	for {
		delivery, err := x.workers.Receive(ctx)
		if err == nil {
			err = x.accept(ctx, delivery)
		}
		if err != nil {
			return err
		}
	}
}

// signal wakes the goroutine that waits for c, now or when it waits next.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// accept validates a delivery, waits for room and holds its games. Bad and repeated games are counted, acknowledged and
// dropped. The only error is ctx's.
func (x *inbox) accept(ctx context.Context, d *record.Delivery) error {
	x.mu.Lock()
	full := x.positions >= heldGenerations*x.need
	x.mu.Unlock()
	b, err := record.ReadMessage(x.game, x.run, d.Data)
	for full && err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-x.room:
		}
		x.mu.Lock()
		full = x.positions >= heldGenerations*x.need
		x.mu.Unlock()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.sender(d.Sender)
	if err != nil {
		s.Rejected++
		text := err.Error()
		s.Problem = strings.ToValidUTF8(text[:min(len(text), maxProblem)], "")
		d.Acknowledge()
		return nil
	}
	s.Threads = b.Threads
	s.Behind = max(0, x.generation()-b.Generation)
	x.heard[b.Process] = time.Now()
	m := &message{id: gameID{b.Process, b.First}, positions: b.Positions(), bytes: len(d.Data), acknowledge: []func(){d.Acknowledge}}
	count := b.Games()
	for _, part := range x.unseen(b) {
		positions := part.Positions()
		m.games += part.Games()
		s.Games += part.Games()
		s.Positions += positions
		s.positions += positions
		x.held = append(x.held, delivered{part, m})
		x.positions += positions
	}
	s.Missing = x.received[b.Process].missing()
	first := x.open[m.id]
	if first == nil { // a message that is held and comes again is not a duplicate
		s.Duplicates += count - m.games
	}
	switch {
	case m.games > 0:
		x.open[m.id] = m
		signal(x.arrived)
	case first != nil:
		first.acknowledge = append(first.acknowledge, d.Acknowledge)
	default: // the run has these games
		d.Acknowledge()
	}
	return nil
}

// unseen marks the games of b as received and returns those that were not received before, in parts with consecutive
// numbers.
func (x *inbox) unseen(b *record.Message) (parts []*record.Message) {
	for b.Games() > 0 {
		game := b.Split(1)
		switch last := len(parts) - 1; {
		case !x.received.add(b.Process, game.First, 1):
		case last >= 0 && parts[last].First+parts[last].Games() == game.First:
			parts[last].Append(game)
		default:
			parts = append(parts, game)
		}
	}
	return parts
}

// sender returns the state of the worker of that name.
func (x *inbox) sender(name string) *sender {
	now := time.Now()
	s := x.senders[name]
	if s == nil {
		if len(x.senders) >= maxSenders {
			oldest := slices.MinFunc(slices.Collect(maps.Keys(x.senders)), func(a, b string) int {
				return x.senders[a].seen.Compare(x.senders[b].seen)
			})
			delete(x.senders, oldest)
		}
		s = &sender{WorkerStatus: rundir.WorkerStatus{Name: name}, since: now}
		x.senders[name] = s
	}
	s.seen = now
	return s
}

// publish makes n the newest network, for a generation that needs the given number of positions.
func (x *inbox) publish(ctx context.Context, n *Network, need int) error {
	x.mu.Lock()
	x.network, x.need = n, need
	x.mu.Unlock()
	return x.workers.PublishNetwork(ctx, n)
}

// generation returns that of the newest network. The caller holds the lock.
func (x *inbox) generation() int {
	if x.network == nil {
		return 0
	}
	return x.network.Generation
}

// ready returns the number of positions that wait to be taken.
func (x *inbox) ready() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.positions
}

// failure returns the error that ended receiving; nil: none.
func (x *inbox) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// gaps returns a line about games that have not arrived although later ones have; "" if there is nothing new.
func (x *inbox) gaps() (text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	games, names := 0, []string{}
	for name, s := range x.senders {
		if s.Missing > s.noted {
			games, names = games+s.Missing, append(names, name)
		}
		s.noted = max(s.noted, s.Missing)
	}
	if len(names) == 0 {
		return ""
	}
	text = fmt.Sprintf("%d games of worker %s", games, slices.Min(names))
	if len(names) > 1 {
		text = fmt.Sprintf("%d games of %d workers, such as %s,", games, len(names), slices.Min(names))
	}
	return text + " have not arrived, although later ones have"
}

// wait waits for games for at most the given time. An error ended receiving.
func (x *inbox) wait(most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		x.mu.Lock()
		positions, err := x.positions, x.err
		x.mu.Unlock()
		if positions > 0 || err != nil {
			return err
		}
		select {
		case <-x.arrived:
		case <-timer.C:
			return nil
		}
	}
}

// take returns the oldest games, until they have the given number of positions or none is left.
func (x *inbox) take(positions int) (batches []*record.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for positions > 0 && len(x.held) > 0 {
		d := x.held[0]
		games, n := 0, 0
		for ; n < positions && games < d.Games(); games++ {
			n += len(d.Records[games].Plies)
		}
		if games < d.Games() {
			d.Message = d.Split(games)
		} else {
			x.held = x.held[1:]
		}
		positions -= n
		x.positions -= n
		x.taken.add(d.Process, d.First, games)
		x.toCommit = append(x.toCommit, d)
		batches = append(batches, d.Message)
	}
	signal(x.room)
	return batches
}

// numbersTaken returns the numbers of the games that the run has taken. If there are too many playing processes, it forgets
// those not heard of for longest. It keeps those with games that are not committed, because these may come again.
func (x *inbox) numbersTaken() numbers {
	x.mu.Lock()
	defer x.mu.Unlock()
	open := map[string]bool{}
	for id := range x.open {
		open[id.process] = true
	}
	var names []string
	for name := range x.taken {
		if !open[name] {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return x.heard[a].Compare(x.heard[b]) })
	for _, name := range names[:min(len(names), max(0, len(x.taken)-maxProcesses))] {
		delete(x.taken, name)
		delete(x.received, name)
		delete(x.heard, name)
	}
	return x.taken.clone()
}

// committed acknowledges the messages whose games are now all in the run directory.
func (x *inbox) committed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range x.toCommit {
		if d.message.games -= d.Games(); d.message.games == 0 {
			for _, acknowledge := range d.message.acknowledge {
				acknowledge()
			}
			delete(x.open, d.message.id)
		}
	}
	x.toCommit = nil
}
