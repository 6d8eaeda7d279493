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

// Hub is the training run's side of the connection to workers. It implements [train.Workers].
type Hub struct {
	conn       *nats.Conn
	js         jetstream.JetStream
	notes      notes
	server     *Server // embedded server; nil: an external one
	storage    *storage
	reconnects chan struct{} // signalled after a reconnect, to wake Receive
	stop       context.CancelFunc
	joined     sync.WaitGroup
	puts       int // number of networks put; used by publishNetworks, and by Finish after publishNetworks has ended

	// Fields that only Receive uses.
	consumer  jetstream.Consumer     // of the games stream; nil: not created yet
	requested jetstream.MessageBatch // messages requested but not received yet; nil: none

	mu       sync.Mutex
	stream   jetstream.StreamConfig    // configuration of the games stream
	networks chan *selfplay.Assignment // holds the newest network until publishNetworks takes it; senders hold mu
}

// HubOptions configure a Hub.
type HubOptions struct {
	Server   *Server      // the embedded server, which Close closes; nil: an external one
	Access   Access       // to an external server or cluster
	Run      string       // run id
	Replicas int          // number of copies of the streams in a cluster; 0 means 1
	Notify   func(string) // messages for people; called concurrently
}

// NewHub connects to the server, and creates the games stream and the store of networks if they do not exist. It returns an
// error if another run uses them.
func NewHub(ctx context.Context, o HubOptions) (*Hub, error) {
	h := &Hub{notes: notes{notify: o.Notify}, server: o.Server, stream: streamOfGames(o), networks: make(chan *selfplay.Assignment, 1), reconnects: make(chan struct{}, 1)}
	options := append(connectOptions(learnerReplies, &h.notes, o.Access), nats.ReconnectHandler(func(c *nats.Conn) {
		signal(h.reconnects)
		h.notes.say("connected again to " + c.ConnectedUrlRedacted())
	}))
	h.storage = &storage{} // an external server's disk errors are not visible here
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

// connectOptions returns the connection options that hubs and workers share. They reconnect forever, and notice within
// seconds that the network is gone.
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

// runKey is the metadata key of the games stream for the run's id.
const runKey = "ludus-run"

const (
	startBytes    = 2 * record.MaxMessage  // size limit of the games stream until Limit is called
	minDuplicates = 100 * time.Millisecond // shortest period for which a server can remember message ids; ludus uses none
)

// streamOfGames returns the configuration of the games stream.
func streamOfGames(o HubOptions) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: gamesStream, Description: "finished games of ludus workers that the run has not committed", Subjects: []string{gamesOf(o.Run, "*")},
		Metadata: map[string]string{runKey: o.Run}, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: startBytes,
		MaxMsgSize: record.MaxMessage, Duplicates: minDuplicates, Storage: jetstream.FileStorage, Replicas: max(o.Replicas, 1),
		AllowDirect: true, // needed by waitForStreams
	}
}

// createTime is how long to wait for a cluster that has no leader yet, or whose nodes are still starting.
const createTime = time.Minute

// createPatiently calls create until it succeeds, createTime is over, or the server's refusal is final.
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

// create creates the games stream and the object store.
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

// deleteConsumer deletes the consumer of the games stream. A new consumer gets all unacknowledged messages at once; the old
// one would get them only after ackWait.
func (h *Hub) deleteConsumer(ctx context.Context) error {
	err := h.js.DeleteConsumer(ctx, gamesStream, gamesConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// games returns the current configuration of the games stream.
func (h *Hub) games() jetstream.StreamConfig {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stream
}

// createStore returns the object store of networks, and creates it if it does not exist.
func (h *Hub) createStore(ctx context.Context) (jetstream.ObjectStore, error) {
	return h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: networksBucket, Description: "the newest networks of a ludus run", Storage: jetstream.FileStorage, Replicas: h.games().Replicas,
	})
}

// errOtherRun means that the stream has games of another run.
var errOtherRun = errors.New("the server has games of another run")

// checkOwner returns an error if the stream holds games of another run, or if another run receives from it.
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

// Limit sets the size limit of the games stream to about the given bytes. When the stream is full, the server refuses
// messages and workers wait.
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

// ackWait is how long the server waits for the run to commit a message before it delivers the message again. The run drops
// messages that it has already received.
const ackWait = time.Minute

// Receive waits for the next message of a worker. It reconnects if necessary. It returns an error when ctx ends, or when
// the embedded server cannot write to the disk.
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
				Acknowledge: func() { _ = m.Ack() }, // if the acknowledgement is lost, the message comes again
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

// A hub requests a few messages at a time. They have up to 1 MiB each, and together must stay below maxPending: otherwise
// the embedded server disconnects the hub as a slow reader.
const (
	requestedAtOnce = 3
	requestTime     = 10 * time.Second // time after which a request is repeated
)

// next returns the next message of the games stream, or nil without an error if none has arrived yet.
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
	case <-h.reconnects: // messages on their way are lost; a new consumer gets them again at once
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

// PublishNetwork makes n the newest network. It does not wait: publishNetworks publishes n as soon as it can, unless a
// newer network replaces it.
func (h *Hub) PublishNetwork(_ context.Context, n *selfplay.Assignment) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.networks: // n replaces the older network
	default:
	}
	h.networks <- n
	return nil
}

// signal wakes the goroutine that waits on c, or the next one that does.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// publishNetworks publishes networks until ctx ends. After an error it tries again, with a newer network if there is one.
func (h *Hub) publishNetworks(ctx context.Context) {
	var n *selfplay.Assignment // network still to publish
	for {
		retry := make(<-chan time.Time) // fires only if n must be retried
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

// invitation tells workers how to play with a network. It is stored in the object's metadata.
type invitation struct {
	Play        int             `json:"play"` // record.PlayVersion of the learner
	Run         string          `json:"run"`
	Game        string          `json:"game"`
	Settings    rundir.Settings `json:"settings"`
	Generation  int             `json:"generation"`
	Simulations int             `json:"simulations"`
	MeanPlies   float64         `json:"mean_plies"`
	Finished    bool            `json:"finished,omitempty"` // the run needs no more games
}

const (
	invitationKey = "ludus" // metadata key of the object
	putTimeout    = 30 * time.Second
)

// networkNames are the names of the objects that take turns in holding the newest network. The previous network remains for
// workers that are still reading it.
var networkNames = [2]string{"even", "odd"}

func (h *Hub) putNetwork(ctx context.Context, n *selfplay.Assignment) error {
	return h.put(ctx, invitation{
		Play: record.PlayVersion, Run: n.Run, Game: n.Game.Name, Settings: n.Settings, Generation: n.Generation,
		Simulations: n.Simulations, MeanPlies: n.MeanPlies,
	}, n.Weights.Marshal())
}

// put stores the newest network and tells the workers.
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

// Finish tells the workers that the run is finished: they stop playing and wait for another run. It deletes the games
// stream with the games left in it, so late games are refused and another run can use the server. Receive must not be
// running.
func (h *Hub) Finish(ctx context.Context) error {
	h.stop()
	h.joined.Wait() // publishNetworks has ended: no network can follow
	if err := h.put(ctx, invitation{Play: record.PlayVersion, Finished: true}, nil); err != nil {
		return fmt.Errorf("workers do not know that the run is finished: %w", err)
	}
	if err := h.js.DeleteStream(ctx, gamesStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("games that nobody needs may still be on the server: %w", err)
	}
	return nil
}

const reportTimeout = 2 * time.Second // time limit for the server's answer

// Report adds the size of the games stream to s and publishes s.
func (h *Hub) Report(ctx context.Context, s *rundir.WorkersStatus) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	s.Queued, s.QueuedBytes = -1, -1
	if stream, err := h.js.Stream(ctx, gamesStream); err == nil {
		state := stream.CachedInfo().State
		s.Queued, s.QueuedBytes = int(state.Msgs), int64(state.Bytes)
	}
	if text, err := json.Marshal(s); err == nil {
		_ = h.conn.Publish(statusSubject, text) // an error does not matter: the next report follows soon
	}
}

// Close ends the connection and closes the embedded server.
func (h *Hub) Close() {
	h.stop()
	h.joined.Wait()
	h.conn.Close()
	if h.server != nil {
		h.server.Close()
	}
}
