package tensorboard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	pb "ludus/model/protobuf"
)

// TestSums holds the checksum against the vectors of RFC 3720, appendix B.4.
func TestSums(t *testing.T) {
	ascending := make([]byte, 32)
	for i := range ascending {
		ascending[i] = byte(i)
	}
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	for _, c := range []struct {
		data []byte
		want uint32
	}{
		{make([]byte, 32), 0x8a9136aa},
		{bytes.Repeat([]byte{0xff}, 32), 0x62a8ab43},
		{ascending, 0x46dd794e},
		{descending, 0x113fdb5c},
		{[]byte("123456789"), 0xe3069283},
	} {
		if got := crc32.Checksum(c.data, castagnoli); got != c.want {
			t.Errorf("sum of %x is %08x, want %08x", c.data, got, c.want)
		}
		if got := unmask(maskedSum(c.data)); got != c.want {
			t.Errorf("the mask of %08x comes off as %08x", c.want, got)
		}
	}
}

// unmask is Unmask of tensorflow/core/lib/hash/crc32c.h.
func unmask(masked uint32) uint32 {
	rot := masked - 0xa282ead8
	return (rot >> 17) | (rot << 15)
}

// TestStart compares with how the files that TensorFlow writes begin: a record of 24 bytes that starts with the time.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, time.Unix(1, 0), 5)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(w.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	want := []byte("\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09")
	if !bytes.HasPrefix(data, want) || !bytes.Contains(data[:40], []byte("\x1a\x0dbrain.Event:2")) {
		t.Errorf("the file begins with %x", data[:min(40, len(data))])
	}
}

func create(t *testing.T, dir string, now time.Time, step int) *Writer {
	t.Helper()
	w := NewWriter(dir, step)
	if err := w.create(now); err != nil {
		t.Fatal(err)
	}
	return w
}

// readEvent is an event as read back.
type readEvent struct {
	time    float64
	step    uint64
	version string
	starts  bool
	scalars []Scalar
}

var errTorn = errors.New("torn record")

// read takes a file apart as TensorBoard does; events before a torn record are returned with errTorn.
func read(data []byte) (events []readEvent, err error) {
	table := crc32.MakeTable(crc32.Castagnoli)
	good := func(data, sum []byte) bool {
		return unmask(binary.LittleEndian.Uint32(sum)) == crc32.Checksum(data, table)
	}
	for len(data) > 0 {
		if len(data) < 12 || !good(data[:8], data[8:12]) {
			return events, errTorn
		}
		n := binary.LittleEndian.Uint64(data)
		if data = data[12:]; uint64(len(data)) < n+4 || !good(data[:n], data[n:n+4]) {
			return events, errTorn
		}
		events = append(events, decode(data[:n]))
		data = data[n+4:]
	}
	return events, nil
}

// fields calls do with each field of a message: number is the value of a varint or the bits of a fixed one.
func fields(data []byte, do func(field pb.Field, number uint64, text []byte)) {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeField(data)
		value := data[protowire.SizeTag(field):n]
		data = data[n:]
		switch kind {
		case protowire.VarintType:
			number, _ := protowire.ConsumeVarint(value)
			do(field, number, nil)
		case protowire.Fixed64Type:
			do(field, binary.LittleEndian.Uint64(value), nil)
		case protowire.Fixed32Type:
			do(field, uint64(binary.LittleEndian.Uint32(value)), nil)
		default:
			text, _ := protowire.ConsumeBytes(value)
			do(field, 0, text)
		}
	}
}

// decode reads a tensorflow.Event.
func decode(data []byte) (e readEvent) {
	fields(data, func(field pb.Field, number uint64, text []byte) {
		switch field {
		case 1:
			e.time = math.Float64frombits(number)
		case 2:
			e.step = number
		case 3:
			e.version = string(text)
		case 5: // summary
			fields(text, func(_ pb.Field, _ uint64, value []byte) {
				var s Scalar
				fields(value, func(field pb.Field, number uint64, text []byte) {
					if field == 1 {
						s.Tag = string(text)
					} else {
						s.Value = float64(math.Float32frombits(uint32(number)))
					}
				})
				e.scalars = append(e.scalars, s)
			})
		case 7: // session log: its status is 1
			fields(text, func(field pb.Field, number uint64, _ []byte) { e.starts = field == 1 && number == 1 })
		}
	})
	return e
}

func TestEvents(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(1700000000, 250_000_000)
	w := create(t, dir, now, 301)
	first, second := []Scalar{{"loss/policy", 1.5}, {"loss/outcome", -0.25}}, []Scalar{{"rate", math.Inf(1)}}
	for i, scalars := range [][]Scalar{first, second} {
		if err := w.Write(now.Add(time.Second), 301+i, scalars); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "events.out.tfevents.1700000000.ludus"))
	if err != nil {
		t.Fatal(err)
	}
	want := []readEvent{
		{time: 1700000000.25, version: "brain.Event:2"},
		{time: 1700000000.25, step: 301, starts: true},
		{time: 1700000001.25, step: 301, scalars: first},
		{time: 1700000001.25, step: 302, scalars: second},
	}
	if got, err := read(data); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v:\n%+v\nwant\n%+v", err, got, want)
	}
	for cut := range data { // a torn tail leaves the records before it
		got, err := read(data[:cut])
		if len(got) > len(want) || !slices.EqualFunc(got, want[:len(got)], func(a, b readEvent) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("cut at byte %d: %+v", cut, got)
		}
		if err == nil && cut > 0 && len(got) == 0 {
			t.Fatalf("cut at byte %d: nothing is torn", cut)
		}
	}
}

// TestNames: files of one second have names that go up, and other files do not count.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, other := range []string{"events.out.tfevents.900.somebody", "metrics.jsonl", "events.out.tfevents.x.ludus"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"500", "501", "502"} {
		w := create(t, dir, time.Unix(500, 0), 1)
		if got := filepath.Base(w.file.Name()); got != "events.out.tfevents."+want+".ludus" {
			t.Errorf("the file is named %s, want second %s", got, want)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrors(t *testing.T) {
	none := NewWriter(filepath.Join(t.TempDir(), "none"), 1)
	if err := none.Write(time.Unix(1, 0), 1, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there gives %v", err)
	}
	w := create(t, t.TempDir(), time.Unix(1, 0), 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(time.Unix(2, 0), 1, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("writing to a closed file gives %v", err)
	}
}
