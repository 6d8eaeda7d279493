package remote

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// A worker reads the object store of networks by requests for single messages of its stream, because it may not create the
// consumer that [jetstream.ObjectStore] reads with.

// download identifies a network in the object store for reading.
type download struct {
	jetstream.ObjectInfo
	first uint64 // sequence number of the message with its first chunk; the other chunks follow
}

const (
	getTimeout = 60 * time.Second // time limit for the answer to a request; links may be slow
	getsAtOnce = 32               // number of chunks requested at the same time
	chunkSize  = 32 << 10         // bytes of a network per message
	maxNetwork = 1 << 30          // largest network in bytes
)

// errNoMessage means that the stream does not have the message.
var errNoMessage = errors.New("the message does not exist")

// getMessage requests one message of the object store's stream.
func getMessage(ctx context.Context, conn *nats.Conn, request map[string]any) (m *nats.Msg, sequence uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, getTimeout)
	defer cancel()
	data, err := json.Marshal(request)
	if err == nil {
		m, err = conn.RequestWithContext(ctx, getNetworks, data)
	}
	if err != nil {
		return nil, 0, err
	}
	switch status := m.Header.Get("Status"); status {
	case "":
		sequence, err = strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	case "404":
		err = errNoMessage
	default:
		err = fmt.Errorf("the server answers: %s %s", status, m.Header.Get("Description"))
	}
	return m, sequence, err
}

// findNewest finds the newest network on the server. It does not read its bytes. By NATS's convention the messages
// $O.BUCKET.M.NAME describe objects; the chunks of an object, $O.BUCKET.C.NUID, come directly before its description.
func findNewest(ctx context.Context, conn *nats.Conn) (*download, error) {
	m, sequence, err := getMessage(ctx, conn, map[string]any{"last_by_subj": "$O." + networksBucket + ".M.*"})
	if errors.Is(err, errNoMessage) {
		return nil, errors.New("the learner has not published one")
	}
	if err != nil {
		return nil, err
	}
	d := new(download)
	if err := json.Unmarshal(m.Data, &d.ObjectInfo); err != nil {
		return nil, fmt.Errorf("its description cannot be read: %w", err)
	}
	if d.Size > maxNetwork || uint64(d.Chunks) > min(sequence, d.Size) {
		return nil, fmt.Errorf("it has %d bytes in %d chunks; at most %d bytes are read", d.Size, d.Chunks, maxNetwork)
	}
	d.first = sequence - uint64(d.Chunks)
	return d, nil
}

// read returns the bytes of the network and checks their digest.
func (d *download) read(ctx context.Context, conn *nats.Conn) ([]byte, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(getsAtOnce)
	subject := "$O." + networksBucket + ".C." + d.NUID
	chunks := make([][]byte, d.Chunks)
	var size atomic.Uint64
	for i := range chunks {
		group.Go(func() error {
			m, _, err := getMessage(ctx, conn, map[string]any{"seq": d.first + uint64(i)})
			switch {
			case errors.Is(err, errNoMessage) || err == nil && m.Header.Get(jetstream.SubjectHeader) != subject:
				return errors.New("newer ones replaced it") // the worker looks again later
			case err != nil:
				return err
			case size.Add(uint64(len(m.Data))) > d.Size:
				return errors.New("its size is wrong")
			}
			chunks[i] = m.Data
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	data := slices.Concat(chunks...)
	want, err := jetstream.DecodeObjectDigest(d.Digest)
	if sum := sha256.Sum256(data); err != nil || string(sum[:]) != string(want) {
		return nil, errors.New("its digest is wrong")
	}
	return data, nil
}
