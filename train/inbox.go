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
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
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

// Workers are players in other processes, as a run sees them. Package remote implements it. Methods may
// be called concurrently.
type Workers interface {
	// PublishNetwork makes a the newest assignment.
	PublishNetwork(ctx context.Context, a *selfplay.Assignment) error
	// Receive waits for the next message of a worker. An error ends the run.
	Receive(ctx context.Context) (*record.Delivery, error)
	// Limit says how many bytes of messages may wait. More are refused, so that workers wait.
	Limit(ctx context.Context, bytes int64)
	// Report adds to s what waits in the stream, and shows it to people who ask for it.
	Report(ctx context.Context, s *rundir.WorkersStatus)
	// Finish says that the run is finished: workers wait for another one.
	Finish(ctx context.Context) error
	// Close ends the connection.
	Close()
}

// inbox receives games of workers while the run learns. It validates them, drops those that were received before, holds
// them until the run takes them, and acknowledges them when the run has committed them.
type inbox struct {
	workers Workers
	game    *env.Game
	run     string // its id
	dir     string // the run directory, for workers.json

	arrived, room chan struct{} // signals: held has grown or receiving has ended; held has shrunk

	mu         sync.Mutex
	need       int                  // positions of a generation
	assignment *selfplay.Assignment // the newest; nil before the first
	received   numbers              // games received, those in held included
	taken      numbers              // games that the run has taken
	heard      map[string]time.Time // when each process sent games last, if it did since the start
	open       map[gameID]*pending  // by their first games: those with games that are held, or taken and not committed
	held       []part               // oldest first
	positions  int                  // in held
	toCommit   []part               // taken since the last commit
	senders    map[string]*sender
	err        error // that ended receiving
}

// gameID identifies a game.
type gameID struct {
	process string
	number  int
}

// part is valid games of one message that were not received before, with consecutive numbers.
type part struct {
	*record.Message
	of *pending
}

// pending is a message whose games are not all committed.
type pending struct {
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

// newInbox returns an inbox for the games that workers play for a run.
func newInbox(s *state, workers Workers) *inbox {
	return &inbox{
		workers: workers, game: s.Game, run: s.config.ID, dir: s.Dir, need: plan.Positions(&s.config.Plan),
		received: s.count.Received.clone(), taken: s.count.Received.clone(), heard: map[string]time.Time{},
		open: map[gameID]*pending{}, senders: map[string]*sender{},
		arrived: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
}

// start receives and reports until stop is called or ctx ends.
func (in *inbox) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var joined sync.WaitGroup
	joined.Go(func() {
		err := in.receive(ctx)
		in.mu.Lock()
		in.err = err
		in.mu.Unlock()
		signal(in.arrived)
	})
	joined.Go(func() { in.report(ctx) })
	return func() {
		cancel()
		joined.Wait()
	}
}

// receive receives until ctx ends or receiving fails, and returns the error.
func (in *inbox) receive(ctx context.Context) error {
	for {
		delivery, err := in.workers.Receive(ctx)
		if err == nil {
			err = in.accept(ctx, delivery)
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
func (in *inbox) accept(ctx context.Context, d *record.Delivery) error {
	m, invalid := record.ReadMessage(in.game, in.run, d.Data)
	for invalid == nil && in.full() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-in.room:
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	s := in.sender(d.Sender)
	if invalid != nil {
		s.Rejected++
		text := invalid.Error()
		s.Problem = strings.ToValidUTF8(text[:min(len(text), maxProblem)], "")
		d.Acknowledge()
		return nil
	}
	s.Threads = m.Threads
	s.Behind = max(0, in.generation()-m.Generation)
	in.heard[m.Process] = time.Now()
	p := &pending{
		id: gameID{m.Process, m.First}, positions: m.Positions(), bytes: len(d.Data), acknowledge: []func(){d.Acknowledge},
	}
	count := m.Games()
	for _, unseen := range in.unseen(m) {
		positions := unseen.Positions()
		p.games += unseen.Games()
		s.Games += unseen.Games()
		s.Positions += positions
		s.positions += positions
		in.held = append(in.held, part{unseen, p})
		in.positions += positions
	}
	s.Missing = in.received[m.Process].missing()
	first := in.open[p.id]
	if first == nil { // a message that is held and comes again is not a duplicate
		s.Duplicates += count - p.games
	}
	switch {
	case p.games > 0:
		in.open[p.id] = p
		signal(in.arrived)
	case first != nil:
		first.acknowledge = append(first.acknowledge, d.Acknowledge)
	default: // the run has these games
		d.Acknowledge()
	}
	return nil
}

// full reports whether the inbox holds as many games as it may.
func (in *inbox) full() bool { return in.ready() >= heldGenerations*in.needed() }

// needed returns the positions of a generation.
func (in *inbox) needed() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.need
}

// unseen marks the games of m as received and returns those that were not received before, in parts with consecutive
// numbers. It takes all games from m.
func (in *inbox) unseen(m *record.Message) (parts []*record.Message) {
	for m.Games() > 0 {
		game := m.Split(1)
		isNew := in.received.add(m.Process, game.First, 1)
		switch last := len(parts) - 1; {
		case !isNew:
		case last >= 0 && parts[last].First+parts[last].Games() == game.First:
			parts[last].Append(game)
		default:
			parts = append(parts, game)
		}
	}
	return parts
}

// sender returns the state of the worker of that name.
func (in *inbox) sender(name string) *sender {
	now := time.Now()
	s := in.senders[name]
	if s == nil {
		if len(in.senders) >= maxSenders {
			oldest := slices.MinFunc(slices.Collect(maps.Keys(in.senders)), func(a, b string) int {
				return in.senders[a].seen.Compare(in.senders[b].seen)
			})
			delete(in.senders, oldest)
		}
		s = &sender{WorkerStatus: rundir.WorkerStatus{Name: name}, since: now}
		in.senders[name] = s
	}
	s.seen = now
	return s
}

// publish makes a the newest assignment, for a generation that needs the given number of positions.
func (in *inbox) publish(ctx context.Context, a *selfplay.Assignment, need int) error {
	in.mu.Lock()
	in.assignment, in.need = a, need
	in.mu.Unlock()
	return in.workers.PublishNetwork(ctx, a)
}

// generation returns that of the newest network. The caller holds the lock.
func (in *inbox) generation() int {
	if in.assignment == nil {
		return 0
	}
	return in.assignment.Generation
}

// ready returns the number of positions that wait to be taken.
func (in *inbox) ready() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.positions
}

// failure returns the error that ended receiving; nil: none.
func (in *inbox) failure() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// gaps returns a line about games that have not arrived although later ones have; "" if there is nothing new.
func (in *inbox) gaps() (text string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	games, names := 0, []string{}
	for name, s := range in.senders {
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
func (in *inbox) wait(most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		in.mu.Lock()
		positions, err := in.positions, in.err
		in.mu.Unlock()
		if positions > 0 || err != nil {
			return err
		}
		select {
		case <-in.arrived:
		case <-timer.C:
			return nil
		}
	}
}

// take returns the oldest games, until they have the given number of positions or none is left.
func (in *inbox) take(positions int) (taken []*record.Message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for positions > 0 && len(in.held) > 0 {
		p := in.held[0]
		games, n := 0, 0
		for ; n < positions && games < p.Games(); games++ {
			n += len(p.Records[games].Plies)
		}
		if games < p.Games() {
			p.Message = p.Split(games)
		} else {
			in.held = in.held[1:]
		}
		positions -= n
		in.positions -= n
		in.taken.add(p.Process, p.First, games)
		in.toCommit = append(in.toCommit, p)
		taken = append(taken, p.Message)
	}
	signal(in.room)
	return taken
}

// numbersTaken returns the numbers of the games that the run has taken. If there are too many playing processes, it forgets
// those not heard of for longest. It keeps those with games that are not committed, because these may come again.
func (in *inbox) numbersTaken() numbers {
	in.mu.Lock()
	defer in.mu.Unlock()
	open := map[string]bool{}
	for id := range in.open {
		open[id.process] = true
	}
	var names []string
	for name := range in.taken {
		if !open[name] {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return in.heard[a].Compare(in.heard[b]) })
	for _, name := range names[:min(len(names), max(0, len(in.taken)-maxProcesses))] {
		delete(in.taken, name)
		delete(in.received, name)
		delete(in.heard, name)
	}
	return in.taken.clone()
}

// committed acknowledges the messages whose games are now all in the run directory.
func (in *inbox) committed() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, p := range in.toCommit {
		p.of.games -= p.Games()
		if p.of.games == 0 {
			for _, acknowledge := range p.of.acknowledge {
				acknowledge()
			}
			delete(in.open, p.of.id)
		}
	}
	in.toCommit = nil
}
