package train

import (
	"context"
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

// heldGenerations is the number of generations whose positions an inbox holds; more wait in the stream. It must exceed
// 1, because nextFactor asks whether a whole generation is ready.
const heldGenerations = 2

// Limits on what an inbox remembers, in case somebody sends under many names.
const (
	maxProcesses = 2_000 // processes whose game numbers are remembered; each takes about 60 bytes in every checkpoint
	maxSenders   = 1_000 // names of workers in the report
	maxProblem   = 200   // bytes of a worker's problem in the report, so that the report fits into a message
)

// Workers are players in other processes, as a run sees them (package remote). Methods may be called concurrently.
type Workers interface {
	// PublishNetwork makes a the newest assignment. a may be skipped while an earlier one is on its way.
	PublishNetwork(ctx context.Context, a *selfplay.Assignment) error
	// Receive waits for the next message of a worker. An error ends the run.
	Receive(ctx context.Context) (*record.Delivery, error)
	// Limit sets how many bytes of messages may wait in the stream. When it is full, messages are refused and workers
	// wait.
	Limit(ctx context.Context, bytes int64)
	// Report adds the size of the stream to s and publishes s to people who ask for it.
	Report(ctx context.Context, s *rundir.WorkersStatus)
	// Finish tells the workers that the run is finished; they wait for another run.
	Finish(ctx context.Context) error
	// Close ends the connection.
	Close()
}

// inbox receives games of workers while the run trains. It validates them, drops games that it has received before,
// holds the others until the run takes them, and acknowledges them after the run has committed them.
type inbox struct {
	workers Workers
	games   []*env.Game // the sizes of the run's board
	run     string      // run id
	dir     string      // run directory, for workers.json

	arrived, room chan struct{} // signals: arrived when held has grown or receiving has ended, room when held has shrunk

	mu         sync.Mutex
	need       int                  // work of a generation: positions times cells
	assignment *selfplay.Assignment // the newest assignment; nil before the first
	received   numbers              // numbers of the games received, including those in held
	taken      numbers              // numbers of the games that the run has taken
	heard      map[string]time.Time // time of the last games from each process since this process started
	open       map[gameID]*pending  // messages with games not committed yet, by their first game
	held       []part               // oldest first
	work       int                  // work in held
	toCommit   []part               // parts taken since the last commit
	senders    map[string]*sender
	err        error // error that ended receiving
}

// gameID identifies a game of a worker's process.
type gameID struct {
	process string
	number  int
}

// part is a sequence of valid, new games with consecutive numbers, from one message.
type part struct {
	*record.Message
	of *pending
}

// pending is a message with games that are not committed yet.
type pending struct {
	id          gameID // id of the message's first game
	games       int    // number of games still to commit
	work        int    // in all its games
	bytes       int
	acknowledge []func() // one for each delivery of the message
}

// sender holds the report's numbers about a worker.
type sender struct {
	rundir.WorkerStatus
	seen      time.Time
	since     time.Time // start of the interval over which the speed is measured
	positions int       // positions received since then
}

// newInbox returns an inbox for the games that workers play for a run.
func newInbox(s *state, workers Workers) *inbox {
	return &inbox{
		workers: workers, games: s.games, run: s.config.ID, dir: s.Dir,
		need:     plan.Work(&s.config.Plan, s.Game, s.Game),
		received: s.count.Received.clone(), taken: s.count.Received.clone(), heard: map[string]time.Time{},
		open: map[gameID]*pending{}, senders: map[string]*sender{},
		arrived: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
}

// start runs the goroutines that receive and report. They end when stop is called or ctx ends.
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

// receive receives messages until ctx ends or receiving fails, and returns the error.
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

// signal wakes the goroutine that waits on c, or the next one that does.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// accept validates a delivery, waits for room and holds its new games. It counts, acknowledges and drops invalid and
// repeated games. The only error is ctx's.
func (in *inbox) accept(ctx context.Context, d *record.Delivery) error {
	m, invalid := record.ReadMessage(in.games, in.run, d.Data)
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
		id: gameID{m.Process, m.First}, work: record.Work(m.Records), bytes: len(d.Data), acknowledge: []func(){d.Acknowledge},
	}
	count := m.Games()
	for _, unseen := range in.unseen(m) {
		positions := unseen.Positions()
		p.games += unseen.Games()
		s.Games += unseen.Games()
		s.Positions += positions
		s.positions += positions
		in.held = append(in.held, part{unseen, p})
		in.work += record.Work(unseen.Records)
	}
	first := in.open[p.id]
	if first == nil { // redelivery of a held message: not counted as a duplicate
		s.Duplicates += count - p.games
	}
	switch {
	case p.games > 0:
		in.open[p.id] = p
		signal(in.arrived)
	case first != nil:
		first.acknowledge = append(first.acknowledge, d.Acknowledge)
	default: // the run has committed these games
		d.Acknowledge()
	}
	return nil
}

// full reports whether the inbox holds as many games as it may.
func (in *inbox) full() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.work >= heldGenerations*in.need
}

// unseen marks the games of m as received and returns the new ones, in parts with consecutive numbers. It empties m.
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

// sender returns the report's entry for the named worker.
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

// publish makes a the newest assignment. need is the work of its generation.
func (in *inbox) publish(ctx context.Context, a *selfplay.Assignment, need int) error {
	in.mu.Lock()
	in.assignment, in.need = a, need
	in.mu.Unlock()
	return in.workers.PublishNetwork(ctx, a)
}

// generation returns the generation of the newest network. The caller holds the lock.
func (in *inbox) generation() int {
	if in.assignment == nil {
		return 0
	}
	return in.assignment.Generation
}

// ready returns the work in the received games that wait to be taken.
func (in *inbox) ready() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.work
}

// failure returns the error that ended receiving; nil: none.
func (in *inbox) failure() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// wait waits for games, at most for the given time. Its error is the one that ended receiving.
func (in *inbox) wait(most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		in.mu.Lock()
		work, err := in.work, in.err
		in.mu.Unlock()
		if work > 0 || err != nil {
			return err
		}
		select {
		case <-in.arrived:
		case <-timer.C:
			return nil
		}
	}
}

// take removes and returns the oldest held games, of all sizes, until they make up the given work or none is left.
func (in *inbox) take(work int) (taken []*record.Message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for work > 0 && len(in.held) > 0 {
		p := in.held[0]
		games, n := 0, 0
		for ; n < work && games < p.Games(); games++ {
			n += p.Records[games].Work()
		}
		if games < p.Games() {
			p.Message = p.Split(games) // p is a copy: in.held[0] keeps the other games
		} else {
			in.held = in.held[1:]
		}
		work -= n
		in.work -= n
		in.taken.add(p.Process, p.First, games)
		in.toCommit = append(in.toCommit, p)
		taken = append(taken, p.Message)
	}
	signal(in.room)
	return taken
}

// numbersTaken returns the numbers of the games that the run has taken, for the checkpoint. If there are too many
// processes, it forgets those that have been silent for longest. It keeps processes with uncommitted games, because
// these games may come again.
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

// committed acknowledges the messages whose games are all committed to the run directory.
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
