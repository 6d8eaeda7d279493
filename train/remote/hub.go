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

	"ludus/train"
	"ludus/train/rundir"
)

// Hub is the run's side of the connection: a [train.Workers].
type Hub struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	notify func(string)
	server *Server // embedded; nil: none

	mu        sync.Mutex
	wanted    *train.Network // to publish; nil: none
	status    []byte         // answer to requests for the status
	fault     string         // shown last
	publishes chan struct{}  // wakes the publisher
	stop      context.CancelFunc
	joined    sync.WaitGroup

	messages jetstream.MessagesContext // nil: not receiving; used by Receive only
}

// HubOptions say how a Hub uses the NATS server.
type HubOptions struct {
	Server   *Server      // the embedded server, which Close closes; nil: an external one
	Access   Access       // to an external server or cluster
	Replicas int          // copies of the streams in a cluster; 0 is 1
	Bytes    int64        // of games that may wait in the stream; 0 is DefaultBytes
	Notify   func(string) // messages for people; called concurrently
}

// DefaultBytes is how many bytes of games may wait in the stream.
const DefaultBytes = 64 << 20

// NewHub connects to the server and creates the stream of games and the store of networks, if they do not exist.
func NewHub(ctx context.Context, o HubOptions) (*Hub, error) {
	h := &Hub{notify: o.Notify, server: o.Server, publishes: make(chan struct{}, 1)}
	options := connectOptions(learnerInbox, h.note)
	var err error
	if o.Server != nil {
		h.conn, err = o.Server.connect(options...)
	} else {
		h.conn, err = o.Access.connect(options...)
	}
	if err != nil {
		return nil, err
	}
	if h.js, err = jetstream.New(h.conn); err == nil {
		err = h.createPatiently(ctx, max(o.Replicas, 1), o.Bytes)
	}
	if err == nil {
		_, err = h.conn.Subscribe(statusSubject, h.answer)
	}
	if err != nil {
		h.conn.Close()
		return nil, fmt.Errorf("NATS server: %w", err)
	}
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.joined.Go(func() { h.publishNetworks(ctx) })
	return h, nil
}

// connectOptions are the options that both sides share: reconnect forever, and notice within seconds that the network
// is gone.
func connectOptions(inbox string, note func(string)) []nats.Option {
	return []nats.Option{
		nats.CustomInboxPrefix(inbox), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.Timeout(5 * time.Second),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note(fmt.Sprintf("disconnected from the NATS server: %v; reconnecting", err))
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { note("connected again to " + c.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { note(err.Error()) }),
	}
}

// createTime is how long a hub waits for a cluster that has no leader yet, or whose nodes are still starting.
const createTime = time.Minute

// createPatiently is create, repeated while the server does not answer.
func (h *Hub) createPatiently(ctx context.Context, replicas int, bytes int64) error {
	for end := time.Now().Add(createTime); ; {
		err := h.create(ctx, replicas, bytes)
		var api *jetstream.APIError
		final := errors.As(err, &api) && api.Code < 500 || errors.Is(err, jetstream.ErrJetStreamNotEnabled)
		if err == nil || final || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		h.note("waiting for JetStream: " + err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// create creates the stream and the object store.
func (h *Hub) create(ctx context.Context, replicas int, bytes int64) error {
	if bytes == 0 {
		bytes = DefaultBytes
	}
	_, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: gamesStream, Description: "finished games of ludus workers that the run has not committed", Subjects: []string{gamesSubject + "*"},
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: bytes,
		MaxMsgSize: train.MaxMessage, Storage: jetstream.FileStorage, Replicas: replicas,
	})
	if err != nil {
		return err
	}
	if err := h.js.DeleteConsumer(ctx, gamesStream, gamesConsumer); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err // what a dead run had received is delivered again at once only to a new consumer
	}
	_, err = h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: networksBucket, Description: "the newest network of a ludus run", Storage: jetstream.FileStorage, Replicas: replicas,
	})
	return err
}

// ackWait is how long the server waits for the run to commit a message, before it delivers it again. The run drops such
// messages.
const ackWait = time.Minute

// Receive waits for the next message of a worker. It reconnects if necessary; its only error is ctx's.
func (h *Hub) Receive(ctx context.Context) (*train.Delivery, error) {
	for {
		m, err := h.next(ctx)
		if ctx.Err() != nil {
			h.stopMessages()
			return nil, ctx.Err()
		}
		if err == nil {
			return &train.Delivery{
				Sender: subjectName(strings.TrimPrefix(m.Subject(), gamesSubject)), Data: m.Data(),
				Acknowledge: func() { _ = m.Ack() }, // a lost acknowledgement is repeated when the message comes again
			}, nil
		}
		h.note("receiving games: " + err.Error())
		h.stopMessages()
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (h *Hub) next(ctx context.Context) (jetstream.Msg, error) {
	if h.messages == nil {
		consumer, err := h.js.CreateOrUpdateConsumer(ctx, gamesStream, jetstream.ConsumerConfig{
			Durable: gamesConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: -1,
		})
		if err != nil {
			return nil, err
		}
		if h.messages, err = consumer.Messages(jetstream.PullMaxMessages(pulled)); err != nil {
			return nil, err
		}
	}
	return h.messages.Next(jetstream.NextContext(ctx))
}

// pulled is how many messages the connection fetches in advance, of up to 1 MiB each.
const pulled = 32

func (h *Hub) stopMessages() {
	if h.messages != nil {
		h.messages.Stop()
		h.messages = nil
	}
}

// note passes a message to people, unless it repeats the last one.
func (h *Hub) note(text string) {
	h.mu.Lock()
	repeated := text == h.fault
	h.fault = text
	h.mu.Unlock()
	if !repeated {
		h.notify(text)
	}
}

// PublishNetwork makes n the newest network. It does not wait: what cannot be published now is published later, unless a
// newer network replaces it.
func (h *Hub) PublishNetwork(_ context.Context, n *train.Network) error {
	h.mu.Lock()
	h.wanted = n
	h.mu.Unlock()
	select {
	case h.publishes <- struct{}{}:
	default:
	}
	return nil
}

// publishNetworks publishes wanted networks until ctx ends.
func (h *Hub) publishNetworks(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.publishes:
		}
		for ctx.Err() == nil {
			h.mu.Lock()
			n := h.wanted
			h.wanted = nil
			h.mu.Unlock()
			if n == nil {
				break
			}
			err := h.putNetwork(ctx, n)
			if err == nil || ctx.Err() != nil {
				continue
			}
			h.note("publishing a network: " + err.Error())
			h.mu.Lock()
			if h.wanted == nil {
				h.wanted = n
			}
			h.mu.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// invitation is what the object's metadata say, apart from the weights.
type invitation struct {
	Protocol    int             `json:"protocol"`
	Run         string          `json:"run"`
	Game        string          `json:"game"`
	Settings    rundir.Settings `json:"settings"`
	Generation  int             `json:"generation"`
	Simulations int             `json:"simulations"`
	MeanPlies   float64         `json:"mean_plies"`
	Finished    bool            `json:"finished,omitempty"` // nobody needs games
}

const (
	protocol      = 1
	invitationKey = "ludus" // of the object's metadata
	putTimeout    = 30 * time.Second
)

func (h *Hub) putNetwork(ctx context.Context, n *train.Network) error {
	return h.put(ctx, invitation{
		Protocol: protocol, Run: n.Run, Game: n.Game.Name, Settings: n.Settings, Generation: n.Generation,
		Simulations: n.Simulations, MeanPlies: n.MeanPlies,
	}, n.Weights.Marshal())
}

// put replaces the newest network and tells the workers.
func (h *Hub) put(ctx context.Context, i invitation, weights []byte) error {
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	store, err := h.js.ObjectStore(ctx, networksBucket)
	if err != nil {
		return err
	}
	text, err := json.Marshal(i)
	if err != nil {
		return err
	}
	meta := jetstream.ObjectMeta{Name: newestNetwork, Metadata: map[string]string{invitationKey: string(text)}}
	if _, err := store.Put(ctx, meta, bytes.NewReader(weights)); err != nil {
		return err
	}
	return h.conn.Publish(networkSubject, nil)
}

// Finish says that the run is finished: workers stop and wait for another run. It drops the games that nobody needs.
func (h *Hub) Finish(ctx context.Context) error {
	h.stop()
	h.joined.Wait() // no network may follow
	if err := h.put(ctx, invitation{Protocol: protocol, Finished: true}, nil); err != nil {
		return err
	}
	stream, err := h.js.Stream(ctx, gamesStream)
	if err != nil {
		return err
	}
	return stream.Purge(ctx)
}

// Report adds what waits in the stream to s and answers requests for the status with it.
func (h *Hub) Report(s *rundir.WorkersStatus) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if stream, err := h.js.Stream(ctx, gamesStream); err == nil {
		state := stream.CachedInfo().State
		s.Queued, s.QueuedBytes = int(state.Msgs), int64(state.Bytes)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return
	}
	h.mu.Lock()
	h.status = text
	h.mu.Unlock()
}

// answer answers a request for the status.
func (h *Hub) answer(m *nats.Msg) {
	h.mu.Lock()
	text := h.status
	h.mu.Unlock()
	if text != nil {
		_ = m.Respond(text) // who asked may be gone
	}
}

// Close ends the connection and closes the embedded server.
func (h *Hub) Close() {
	h.stop()
	h.joined.Wait()
	h.stopMessages()
	if h.conn.Close(); h.server != nil {
		h.server.Close()
	}
}
