package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/record"
	"ludus/train/selfplay"
)

// Worker is a worker's side of the connection to a run. It implements [selfplay.Learner].
type Worker struct {
	name   string
	conn   *nats.Conn
	js     jetstream.JetStream
	notes  notes
	stop   context.CancelFunc
	joined sync.WaitGroup

	mu       sync.Mutex
	newest   *selfplay.Assignment // nil: none yet, or the run is finished
	seen     string               // id of the object from which newest was read
	known    bool                 // newest is up to date: the learner's newest network, or nil if the run is finished
	run      string               // id of the run that the games below are for
	id       string               // id of this process in that run; see record.Message
	number   int                  // number of the next game for that run
	waiting  *record.Message      // games to publish; nil: none
	inFlight int                  // positions in the message that is being sent
	refused  bool                 // the server refuses that message, because the games stream is full
	err      error                // the error that ended the connection
	changed  *sync.Cond           // on mu; signalled whenever a field above changes
}

// WorkerOptions configure a Worker.
type WorkerOptions struct {
	URL    string       // of the learner's server
	Name   string       // the worker's name in the status
	Notify func(string) // messages for people; called concurrently
}

// NewWorker connects to the learner's server. If that does not answer within seconds, NewWorker returns and the worker
// connects later. Once it answers, only wrong credentials are an error. The end of ctx ends connecting only; Close ends
// the worker.
func NewWorker(ctx context.Context, o WorkerOptions) (*Worker, error) {
	w := &Worker{name: subjectName(o.Name), notes: notes{notify: o.Notify}}
	w.changed = sync.NewCond(&w.mu)
	u, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	options := append(connectOptions(&w.notes), nats.RetryOnFailedConnect(true), nats.Name(w.name),
		nats.ReconnectBufSize(-1), // no buffer: send repeats what could not be sent
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if errors.Is(err, errFingerprint) {
				w.fail(err)
				return
			}
			w.notes.say(fmt.Sprintf("connecting to the NATS server: %v", explain(u, err)))
		}),
		nats.ClosedHandler(func(c *nats.Conn) { w.fail(closedError(explain(u, c.LastError()))) }))
	if w.conn, err = connect(ctx, u, options...); err != nil {
		return nil, err
	}
	looks := make(chan struct{}, 1)
	if w.js, err = jetstream.New(w.conn); err == nil {
		_, err = w.conn.Subscribe(networkSubject, func(*nats.Msg) {
			select {
			case looks <- struct{}{}:
			default: // follow will look anyway
			}
		})
	}
	if err != nil {
		w.conn.Close()
		return nil, err
	}
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.joined.Go(func() { w.follow(ctx, looks) })
	w.joined.Go(func() { w.send(ctx) })
	return w, nil
}

// closedError returns the reason why the client has given up a connection.
func closedError(err error) error {
	if err == nil {
		return errors.New("the connection to the NATS server was closed")
	}
	return fmt.Errorf("the connection to the NATS server was closed: %w", err)
}

// Close ends the connection. Unacknowledged games are lost; call Flush first.
func (w *Worker) Close() {
	w.stop()
	w.joined.Wait()
	w.conn.Close()
}

// update changes fields under the lock and wakes all goroutines in await.
func (w *Worker) update(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	w.changed.Broadcast()
}

// await waits until done returns true. It calls done under the lock.
func (w *Worker) await(ctx context.Context, done func() bool) error {
	stop := context.AfterFunc(ctx, func() { w.update(func() {}) }) // wakes Wait
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !done() {
		if err := cmp.Or(w.err, ctx.Err()); err != nil {
			return err
		}
		w.changed.Wait()
	}
	return w.err
}

// fail records the error that ended the connection; all calls of await return it.
func (w *Worker) fail(err error) { w.update(func() { w.err = err }) }

// Newest returns the newest network. It waits until there is one.
func (w *Worker) Newest(ctx context.Context) (n *selfplay.Assignment, err error) {
	err = w.await(ctx, func() bool {
		n = w.newest
		return n != nil
	})
	return n, err
}

// lookInterval is how often a worker looks for a new network if no message announces one.
const lookInterval = 5 * time.Second

// follow keeps the newest network up to date until ctx ends. looks announces new networks.
func (w *Worker) follow(ctx context.Context, looks <-chan struct{}) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.notes.say("waiting for a network: " + describe(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-looks:
		case <-tick.C:
		}
	}
}

// look reads the newest network, unless it is the one that was read last. There is none if the run is finished, or if
// the learner is of another version, which is an error.
func (w *Worker) look(ctx context.Context) error {
	d, err := findNewest(ctx, w.conn)
	if err != nil {
		return err
	}
	i, err := readInvitation(d.Metadata[invitationKey])
	if err != nil {
		w.update(func() { w.newest, w.seen, w.known = nil, "", false }) // wait for a learner of this version
		return err
	}
	if i.Finished {
		w.update(func() { w.newest, w.seen, w.known, w.waiting = nil, "", true, nil }) // it needs no games
		w.notes.say("the run is finished; waiting for another one")
		return nil
	}
	if d.NUID == w.seen {
		return nil
	}
	data, err := d.read(ctx, w.conn)
	if err != nil {
		return err
	}
	weights, err := infer.Unmarshal(data)
	if err != nil {
		return err
	}
	game, err := games.Restore(i.Game, weights.Config.Sheet)
	if err != nil {
		return err
	}
	n := &selfplay.Assignment{
		Run: i.Run, Game: game, Settings: i.Settings, Generation: i.Generation, Simulations: i.Simulations, MeanPlies: i.MeanPlies,
		Weights: weights,
	}
	if err := n.Prepare(); err != nil {
		return err
	}
	w.update(func() { w.newest, w.seen, w.known = n, d.NUID, true })
	return nil
}

// readInvitation parses an invitation. It returns an error if the learner has another PlayVersion.
func readInvitation(text string) (i invitation, err error) {
	var version struct {
		Play int `json:"play"`
	}
	if err := json.Unmarshal([]byte(text), &version); err != nil {
		return i, fmt.Errorf("the invitation cannot be read: %w", err)
	}
	if version.Play != record.PlayVersion {
		return i, fmt.Errorf("this worker is of another version than the learner (%d, not %d): use the same build", record.PlayVersion, version.Play)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&i); err != nil {
		return i, fmt.Errorf("this worker does not know all that the learner asks for: %w: use the same build", err)
	}
	return i, nil
}

// maxSending is the number of queued positions at which a worker stops playing: about 10 MB.
const maxSending = 50_000

// PublishGames queues finished games for sending. It waits while maxSending positions are queued, or while the learner has
// enough games: more would only grow stale.
func (w *Worker) PublishGames(ctx context.Context, b *record.Message) error {
	if err := w.await(ctx, func() bool { return w.unsent() < maxSending && !w.refused }); err != nil {
		return err
	}
	w.update(func() {
		if w.run != b.Run { // games left over from another run are useless
			w.run, w.id, w.number, w.waiting = b.Run, rand.Text(), 0, nil
		}
		if w.waiting != nil {
			w.waiting.Append(b)
			return
		}
		b.Process, b.First = w.id, w.number
		w.waiting = b
	})
	return nil
}

// Flush waits until all queued games are acknowledged.
func (w *Worker) Flush(ctx context.Context) error {
	return w.await(ctx, func() bool { return w.unsent() == 0 })
}

// unsent returns the number of positions that are queued or in flight. The caller holds the lock.
func (w *Worker) unsent() int {
	if w.waiting == nil {
		return w.inFlight
	}
	return w.inFlight + w.waiting.Positions()
}

const (
	sendInterval = time.Second      // shortest time between two messages, unless they are full
	sendTimeout  = 10 * time.Second // time limit for the acknowledgement of a message
	retryWait    = time.Second
)

// send publishes queued games until ctx ends.
func (w *Worker) send(ctx context.Context) {
	for {
		var b *record.Message
		full := false
		take := func() bool {
			if w.waiting == nil {
				return false
			}
			b = w.waiting.Take()
			w.number, w.inFlight = b.First+b.Games(), b.Positions()
			full = w.waiting.Games() > 0 // not all games fitted into b: send the next message at once
			if !full {
				w.waiting = nil
			}
			return true
		}
		if w.await(ctx, take) != nil {
			return
		}
		started := time.Now()
		if w.publish(ctx, b) != nil {
			return
		}
		w.update(func() { w.inFlight, w.refused = 0, false })
		if full {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sendInterval - time.Since(started)):
		}
	}
}

// publish sends a message repeatedly until the server acknowledges it or the run no longer needs games. It returns an error
// only when ctx ends.
func (w *Worker) publish(ctx context.Context, b *record.Message) error {
	data := b.Marshal()
	if len(data) > record.MaxMessage { // only a single game can be that large: drop it
		w.notes.say(fmt.Sprintf("a game of %d positions does not fit into a message and is lost", b.Positions()))
		return nil
	}
	for {
		limited, cancel := context.WithTimeout(ctx, sendTimeout)
		_, err := w.js.Publish(limited, gamesOf(b.Run, w.name), data)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			return nil
		}
		foreign := false
		w.update(func() {
			w.refused = isFull(err)
			foreign = w.known && (w.newest == nil || w.newest.Run != b.Run)
		})
		if foreign {
			return nil // the learner trains another run, or none
		}
		w.notes.say(describe(err) + "; the worker keeps its games and tries again")
		select {
		case <-ctx.Done():
		case <-time.After(retryWait):
		}
	}
}

// describe explains a failed request to the server to people.
func describe(err error) string {
	var api *jetstream.APIError
	switch {
	case isFull(err):
		return "the learner has enough games"
	case errors.As(err, &api) && api.ErrorCode == tooManyRequests:
		return "the server has too many messages to store"
	case errors.As(err, &api) && api.ErrorCode == storeFailed:
		return "the server cannot store games: " + api.Description
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return "the learner has not started"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrNoServers), errors.Is(err, io.EOF),
		errors.Is(err, nats.ErrReconnectBufExceeded):
		return "the server does not answer"
	}
	return err.Error()
}

// Error codes of the NATS server.
const (
	storeFailed     = 10077 // also the code for a full stream
	tooManyRequests = 10167
)

// isFull reports whether the server refused a message because the stream is full.
func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == storeFailed && strings.Contains(api.Description, "maximum bytes")
}
