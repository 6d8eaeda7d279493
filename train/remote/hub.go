package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// Hub is the run's side of the connection: a [train.Workers].
type Hub struct {
	conn       *nats.Conn
	js         jetstream.JetStream
	notes      notes
	server     *Server // embedded; nil: none
	storage    *storage
	reconnects chan struct{} // receives a signal when the connection was lost and is back; wakes Receive
	stop       context.CancelFunc
	joined     sync.WaitGroup
	puts       int // number of networks put; used by publishNetworks, and by Finish when that has ended

	// Receive uses these fields.
	consumer  jetstream.Consumer     // of the stream of games; nil: not created yet
	requested jetstream.MessageBatch // messages that were requested; nil: none

	mu       sync.Mutex
	stream   jetstream.StreamConfig    // of games
	networks chan *selfplay.Assignment // holds the newest network until publishNetworks takes it; senders hold mu
}

// HubOptions say how a Hub uses the NATS server.
type HubOptions struct {
	Server   *Server      // the embedded server, which Close closes; nil: an external one
	Access   Access       // to an external server or cluster
	Run      string       // id of the run
	Replicas int          // copies of the streams in a cluster; 0 is 1
	Notify   func(string) // messages for people; called concurrently
}

// NewHub connects to the server and creates the stream of games and the store of networks, if they do not exist. It
// returns an error if they are used by another run.
func NewHub(ctx context.Context, o HubOptions) (*Hub, error) {
	h := &Hub{notes: notes{notify: o.Notify}, server: o.Server, stream: streamOfGames(o), networks: make(chan *selfplay.Assignment, 1), reconnects: make(chan struct{}, 1)}
	options := append(connectOptions(learnerReplies, &h.notes, o.Access), nats.ReconnectHandler(func(c *nats.Conn) {
		signal(h.reconnects)
		h.notes.say("connected again to " + c.ConnectedUrlRedacted())
	}))
	h.storage = &storage{} // errors of an external server are not known here
	if o.Server != nil {
		h.storage = o.Server.storage
	}
	var err error
	if o.Server != nil {
		h.conn, err = o.Server.connect(options...)
	} else {
		h.conn, err = o.Access.connect(ctx, options...)
	}
	if err != nil {
		return nil, err
	}
	if h.js, err = jetstream.New(h.conn); err == nil {
		err = h.createPatiently(ctx, o.Access)
	}
	if err != nil {
		h.conn.Close()
		return nil, fmt.Errorf("NATS server: %w", err)
	}
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.joined.Go(func() { h.publishNetworks(ctx) })
	return h, nil
}

// connectOptions returns the options that hubs and workers share: they reconnect forever, and notice within seconds that the
// network is gone.
func connectOptions(replies string, notes *notes, access Access) []nats.Option {
	return []nats.Option{
		nats.CustomInboxPrefix(replies), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.Timeout(connectTime),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				notes.say(fmt.Sprintf("disconnected from the NATS server: %v; reconnecting", err))
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			notes.say(fmt.Sprintf("connecting to the NATS server: %v", access.explain(err)))
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { notes.say("connected again to " + c.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { notes.say(err.Error()) }),
	}
}

// runKey is the key of the run's id in the metadata of the stream of games.
const runKey = "ludus-run"

const (
	startBytes    = 2 * record.MaxMessage  // size of the stream of games until Limit is called
	minDuplicates = 100 * time.Millisecond // the shortest time for which a server can remember ids of messages; ludus uses none
)

// streamOfGames returns the configuration of the stream of games.
func streamOfGames(o HubOptions) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: gamesStream, Description: "finished games of ludus workers that the run has not committed", Subjects: []string{gamesOf(o.Run, "*")},
		Metadata: map[string]string{runKey: o.Run}, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: startBytes,
		MaxMsgSize: record.MaxMessage, Duplicates: minDuplicates, Storage: jetstream.FileStorage, Replicas: max(o.Replicas, 1),
		AllowDirect: true, // for waitForStreams
	}
}

// createTime bounds the wait for a cluster that has no leader yet, or whose nodes are still starting.
const createTime = time.Minute

// createPatiently calls create until it succeeds, createTime is over, or the server's answer cannot change.
func (h *Hub) createPatiently(ctx context.Context, a Access) error {
	for end := time.Now().Add(createTime); ; {
		err := h.create(ctx)
		if final := a.refusal(h.conn, err); final != nil {
			return final
		}
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		h.notes.say("waiting for JetStream: " + err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// create creates the stream and the object store.
func (h *Hub) create(ctx context.Context) error {
	if err := h.checkOwner(ctx); err != nil {
		return err
	}
	if _, err := h.js.CreateOrUpdateStream(ctx, h.games()); err != nil {
		return err
	}
	if err := h.deleteConsumer(ctx); err != nil {
		return err
	}
	_, err := h.createStore(ctx)
	return err
}

// deleteConsumer deletes the consumer. A new one receives all messages that were not acknowledged at once; the old one would
// receive them after ackWait.
func (h *Hub) deleteConsumer(ctx context.Context) error {
	err := h.js.DeleteConsumer(ctx, gamesStream, gamesConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// games returns the present configuration of the stream of games.
func (h *Hub) games() jetstream.StreamConfig {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stream
}

// createStore returns the object store of networks. It creates the store if it does not exist.
func (h *Hub) createStore(ctx context.Context) (jetstream.ObjectStore, error) {
	return h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: networksBucket, Description: "the newest networks of a ludus run", Storage: jetstream.FileStorage, Replicas: h.games().Replicas,
	})
}

// errOtherRun means that the stream has games of another run.
var errOtherRun = errors.New("the server has games of another run")

// checkOwner returns an error if another run has games in the stream or waits for some.
func (h *Hub) checkOwner(ctx context.Context) error {
	stream, err := h.js.Stream(ctx, gamesStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	info := stream.CachedInfo()
	owner := info.Config.Metadata[runKey]
	if owner == h.games().Metadata[runKey] {
		return nil
	}
	if n := info.State.Msgs; n > 0 {
		return fmt.Errorf("%w: %d messages for the one with the id %q in config.json; finish that run, delete the stream %s, or use another server or account",
			errOtherRun, n, owner, gamesStream)
	}
	consumer, err := stream.Consumer(ctx, gamesConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	if err == nil && consumer.CachedInfo().NumWaiting > 0 {
		err = fmt.Errorf("another run is using it, with the id %q in config.json", owner)
	}
	return err
}

// Limit sets the size of the stream of games to about the given bytes. When it is full the server refuses messages, so workers
// wait.
func (h *Hub) Limit(ctx context.Context, bytes int64) {
	stream := h.games()
	if now := stream.MaxBytes; bytes > now-now/3 && bytes < now+now/2 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	stream.MaxBytes = bytes
	if _, err := h.js.UpdateStream(limited, stream); err != nil {
		if ctx.Err() == nil {
			h.notes.say("limiting the games that wait: " + err.Error())
		}
		return
	}
	h.mu.Lock()
	h.stream = stream
	h.mu.Unlock()
}

// ackWait is the time after which the server delivers a message again that the run has not committed. The run drops messages
// that it has received before.
const ackWait = time.Minute

// Receive waits for the next message of a worker, and reconnects if necessary. It fails when ctx ends, or when the embedded
// server cannot write to the disk.
func (h *Hub) Receive(ctx context.Context) (*record.Delivery, error) {
	for {
		m, err := h.next(ctx)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-h.storage.broken:
			return nil, h.storage.err
		default:
		}
		if m != nil {
			return &record.Delivery{
				Sender: subjectName(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]), Data: m.Data(),
				Acknowledge: func() { _ = m.Ack() }, // a lost acknowledgement is repeated when the message comes again
			}, nil
		}
		if err != nil {
			h.notes.say("receiving games: " + err.Error())
			h.consumer = nil
			select {
			case <-ctx.Done():
			case <-h.storage.broken:
			case <-time.After(time.Second):
			}
		}
	}
}

// A hub requests a few messages at a time. They have up to 1 MiB each, and must stay below maxPending: otherwise the embedded
// server takes the hub for a slow reader and disconnects it.
const (
	requestedAtOnce = 3
	requestTime     = 10 * time.Second // after which a request is repeated
)

// next returns the next message, or nil without an error if none has come yet.
func (h *Hub) next(ctx context.Context) (m jetstream.Msg, err error) {
	if h.consumer == nil {
		h.consumer, err = h.js.CreateOrUpdateConsumer(ctx, gamesStream, jetstream.ConsumerConfig{
			Durable: gamesConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: -1,
		})
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			h.notes.say("somebody has deleted the stream " + gamesStream + "; the games in it are lost; creating it again")
			_, err = h.js.CreateOrUpdateStream(ctx, h.games())
			return nil, err
		}
		if err != nil {
			return nil, err
		}
	}
	if h.requested == nil {
		h.requested, err = h.consumer.Fetch(requestedAtOnce, jetstream.FetchMaxWait(requestTime), jetstream.FetchHeartbeat(requestTime/4))
		if err != nil {
			return nil, err
		}
	}
	select {
	case <-ctx.Done():
	case <-h.storage.broken:
	case <-h.reconnects: // what was on its way is lost; a new consumer gets it again at once
		h.consumer, h.requested = nil, nil
		if err = h.deleteConsumer(ctx); err != nil {
			signal(h.reconnects)
		}
	case m = <-h.requested.Messages():
		if m == nil {
			err, h.requested = h.requested.Error(), nil
		}
	}
	return m, err
}

// PublishNetwork makes n the newest network. It does not wait: what cannot be published now is published later, unless a
// newer network replaces it.
func (h *Hub) PublishNetwork(_ context.Context, n *selfplay.Assignment) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.networks: // n replaces it
	default:
	}
	h.networks <- n
	return nil
}

// signal wakes the goroutine that waits for c, now or when it waits next.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// publishNetworks publishes networks until ctx ends. It tries again after an error, or with the next network.
func (h *Hub) publishNetworks(ctx context.Context) {
	var n *selfplay.Assignment // not published yet
	for {
		retry := make(<-chan time.Time) // never, unless n is left
		if n != nil {
			retry = time.After(time.Second)
		}
		select {
		case <-ctx.Done():
			return
		case n = <-h.networks:
		case <-retry:
		}
		err := h.putNetwork(ctx, n)
		switch {
		case err == nil:
			n = nil
		case ctx.Err() == nil:
			h.notes.say("publishing a network: " + err.Error())
		}
	}
}

// invitation tells workers how to play with a network. It stands in the object's metadata.
type invitation struct {
	Play        int             `json:"play"` // see record.PlayVersion
	Run         string          `json:"run"`
	Game        string          `json:"game"`
	Settings    rundir.Settings `json:"settings"`
	Generation  int             `json:"generation"`
	Simulations int             `json:"simulations"`
	MeanPlies   float64         `json:"mean_plies"`
	Finished    bool            `json:"finished,omitempty"` // nobody needs games
}

const (
	invitationKey = "ludus" // of the object's metadata
	putTimeout    = 30 * time.Second
)

// networkNames are the objects that in turn become the newest network. So the last but one remains for workers that are
// reading it.
var networkNames = [2]string{"even", "odd"}

func (h *Hub) putNetwork(ctx context.Context, n *selfplay.Assignment) error {
	return h.put(ctx, invitation{
		Play: record.PlayVersion, Run: n.Run, Game: n.Game.Name, Settings: n.Settings, Generation: n.Generation,
		Simulations: n.Simulations, MeanPlies: n.MeanPlies,
	}, n.Weights.Marshal())
}

// put replaces the newest network and tells the workers.
func (h *Hub) put(ctx context.Context, i invitation, weights []byte) error {
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	store, err := h.createStore(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(i)
	if err != nil {
		return err
	}
	h.puts++
	meta := jetstream.ObjectMeta{
		Name: networkNames[h.puts%len(networkNames)], Metadata: map[string]string{invitationKey: string(text)},
		Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkSize},
	}
	if _, err := store.Put(ctx, meta, bytes.NewReader(weights)); err != nil {
		return err
	}
	return h.conn.Publish(networkSubject, nil)
}

// Finish tells the workers that the run is finished: they stop playing and wait for another run. It deletes the stream with the
// games left in it, so that games still under way are refused and another run can use the server. Receive must not be running.
func (h *Hub) Finish(ctx context.Context) error {
	h.stop()
	h.joined.Wait() // no network may follow
	if err := h.put(ctx, invitation{Play: record.PlayVersion, Finished: true}, nil); err != nil {
		return fmt.Errorf("workers do not know that the run is finished: %w", err)
	}
	if err := h.js.DeleteStream(ctx, gamesStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("games that nobody needs may still be on the server: %w", err)
	}
	return nil
}

const reportTimeout = 2 * time.Second // for the server's answer

// Report adds the size of the stream of games to s and publishes s.
func (h *Hub) Report(ctx context.Context, s *rundir.WorkersStatus) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	s.Queued, s.QueuedBytes = -1, -1
	if stream, err := h.js.Stream(ctx, gamesStream); err == nil {
		state := stream.CachedInfo().State
		s.Queued, s.QueuedBytes = int(state.Msgs), int64(state.Bytes)
	}
	if text, err := json.Marshal(s); err == nil {
		_ = h.conn.Publish(statusSubject, text) // the next report follows soon
	}
}

// Close ends the connection and closes the embedded server.
func (h *Hub) Close() {
	h.stop()
	h.joined.Wait()
	if h.conn.Close(); h.server != nil {
		h.server.Close()
	}
}
