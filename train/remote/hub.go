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
	server   *Server
	conn     *nats.Conn
	js       jetstream.JetStream
	notes    notes
	games    jetstream.StreamConfig    // configuration of the games stream; Limit changes it
	messages jetstream.MessagesContext // of the games stream, for Receive
	networks jetstream.ObjectStore

	putting sync.Mutex         // held by the goroutine that puts a network
	stop    context.CancelFunc // ends that goroutine
	joined  sync.WaitGroup     // of that goroutine
	puts    int                // number of networks put
}

// NewHub connects a run to its server, which Close closes. It creates the games stream and the store of networks if
// they do not exist. notify receives messages for people; it is called concurrently.
func NewHub(ctx context.Context, s *Server, run string, notify func(string)) (*Hub, error) {
	h := &Hub{server: s, notes: notes{notify: notify}, games: streamOfGames(run), stop: func() {}}
	var err error
	if h.conn, err = s.connect(connectOptions(&h.notes)...); err != nil {
		return nil, err
	}
	if h.js, err = jetstream.New(h.conn); err == nil {
		err = h.create(ctx)
	}
	if err != nil {
		h.disconnect()
		return nil, fmt.Errorf("NATS server: %w", s.explain(err))
	}
	s.broken.onError(h.messages.Stop) // ends Receive
	return h, nil
}

// connectOptions returns the connection options that hubs and workers share. They reconnect forever, and notice within
// seconds that the network is gone.
func connectOptions(notes *notes) []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				notes.say(fmt.Sprintf("disconnected from the NATS server: %v; reconnecting", err))
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { notes.say("connected again to " + c.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { notes.say(err.Error()) }),
	}
}

const (
	startBytes    = 2 * record.MaxMessage  // size limit of the games stream until Limit is called
	minDuplicates = 100 * time.Millisecond // shortest time for which a server can remember message ids; ludus uses none
)

// streamOfGames returns the configuration of the games stream.
func streamOfGames(run string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: gamesStream, Description: "finished games of ludus workers that the run has not committed",
		Subjects: []string{gamesOf(run, "*")}, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
		MaxBytes: startBytes, MaxMsgSize: record.MaxMessage, Duplicates: minDuplicates, Storage: jetstream.FileStorage,
		AllowDirect: true, // needed by waitForStreams
	}
}

// A hub requests a few messages at a time. They have up to 1 MiB each, and together must stay below maxPending:
// otherwise the server disconnects the hub as a slow reader.
const (
	requestedAtOnce = 3
	requestTime     = 10 * time.Second // time after which a request is repeated
)

// create creates the games stream, its consumer and the object store. A consumer of an earlier process is deleted: a
// new one gets all unacknowledged messages at once; the old one would get them only after ackWait.
func (h *Hub) create(ctx context.Context) error {
	if _, err := h.js.CreateOrUpdateStream(ctx, h.games); err != nil {
		return err
	}
	err := h.js.DeleteConsumer(ctx, gamesStream, gamesConsumer)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	consumer, err := h.js.CreateConsumer(ctx, gamesStream, jetstream.ConsumerConfig{
		Durable: gamesConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: -1,
	})
	if err != nil {
		return err
	}
	h.messages, err = consumer.Messages(jetstream.PullMaxMessages(requestedAtOnce), jetstream.PullExpiry(requestTime))
	if err != nil {
		return err
	}
	h.networks, err = h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: networksBucket, Description: "the newest networks of a ludus run", Storage: jetstream.FileStorage,
	})
	return err
}

// Limit sets the size limit of the games stream to about the given bytes; a limit near it stays. When the stream is
// full, the server refuses messages and workers wait.
func (h *Hub) Limit(ctx context.Context, bytes int64) {
	if now := h.games.MaxBytes; bytes > now-now/3 && bytes < now+now/2 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	stream := h.games
	stream.MaxBytes = bytes
	_, err := h.js.UpdateStream(limited, stream)
	switch {
	case err == nil:
		h.games = stream
	case ctx.Err() == nil:
		h.notes.say(fmt.Sprintf("limiting the games that wait: %v", h.server.explain(err)))
	}
}

// ackWait is how long the server waits for the run to commit a message before it delivers the message again. The run
// drops messages that it has already received.
const ackWait = time.Minute

// Receive waits for the next message of a worker. It returns an error when ctx ends, when the server cannot write to
// the disk, or when the server ends the delivery of messages.
func (h *Hub) Receive(ctx context.Context) (*record.Delivery, error) {
	m, err := h.messages.Next(jetstream.NextContext(ctx))
	for ; errors.Is(err, jetstream.ErrNoHeartbeat); m, err = h.messages.Next(jetstream.NextContext(ctx)) {
		h.notes.say("receiving games: " + err.Error()) // the server is slow; Next requests messages again
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case h.server.broken.get() != nil:
		return nil, h.server.broken.get()
	case err != nil: // all later calls of Next would fail
		return nil, fmt.Errorf("receiving games: %w", err)
	}
	return &record.Delivery{
		Sender: subjectName(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]), Data: m.Data(),
		Acknowledge: func() { _ = m.Ack() }, // if the acknowledgement is lost, the message comes again
	}, nil
}

// PublishNetwork makes n the newest network. It does not wait, and tries again after errors until ctx ends. While the
// network before is still on its way, n is skipped: workers play with that one until the next.
func (h *Hub) PublishNetwork(ctx context.Context, n *selfplay.Assignment) error {
	if !h.putting.TryLock() {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	h.stop = cancel
	h.joined.Go(func() {
		defer h.putting.Unlock()
		defer cancel()
		i := invitation{
			Play: record.PlayVersion, Run: n.Run, Game: n.Game.Name, Settings: n.Settings, Generation: n.Generation,
			Simulations: n.Simulations, MeanPlies: n.MeanPlies,
		}
		weights := n.Weights.Marshal()
		for {
			err := h.put(ctx, i, weights)
			if err == nil || ctx.Err() != nil {
				return
			}
			h.notes.say("publishing a network: " + err.Error())
			select {
			case <-ctx.Done():
			case <-time.After(retryWait):
			}
		}
	})
	return nil
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

// networkNames are the names of the objects that take turns in holding the newest network. The previous network remains
// for workers that are still reading it.
var networkNames = [2]string{"even", "odd"}

// put stores the newest network and tells the workers.
func (h *Hub) put(ctx context.Context, i invitation, weights []byte) error {
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	text, err := json.Marshal(i)
	if err != nil {
		return err
	}
	h.puts++
	meta := jetstream.ObjectMeta{
		Name: networkNames[h.puts%len(networkNames)], Metadata: map[string]string{invitationKey: string(text)},
		Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkSize},
	}
	if _, err := h.networks.Put(ctx, meta, bytes.NewReader(weights)); err != nil {
		return err
	}
	return h.conn.Publish(networkSubject, nil)
}

// Finish tells the workers that the run is finished: they stop playing and wait for another run. It deletes the games
// stream with the games left in it, so late games are refused. Receive must not be running, and PublishNetwork must not
// follow.
func (h *Hub) Finish(ctx context.Context) error {
	h.stop()
	h.joined.Wait() // no network can follow
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

// Close ends the connection and closes the server.
func (h *Hub) Close() {
	h.disconnect()
	h.server.Close()
}

// disconnect ends the connection. The server goes on.
func (h *Hub) disconnect() {
	h.stop()
	h.joined.Wait()
	if h.messages != nil {
		h.messages.Stop()
	}
	h.conn.Close()
}
