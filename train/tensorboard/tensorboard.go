package tensorboard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The name of an event file is prefix, Unix seconds and suffix. TensorBoard looks for "tfevents" in it.
const (
	prefix = "events.out.tfevents."
	suffix = ".ludus"
)

// Scalar is one point of the curve that Tag names; a slash in a tag puts the curves of one group together.
type Scalar struct {
	Tag   string
	Value float64 // kept as float32
}

// Writer appends events to a file. It has one user.
type Writer struct {
	file *os.File
}

// Create makes a new event file in dir for a session whose events are of step and of later ones. The file is named after
// now, or after the second behind the newest event file's there, so that names go up from session to session.
func Create(dir string, now time.Time, step int) (*Writer, error) {
	seconds, err := freeName(dir, now.Unix())
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, prefix+strconv.FormatInt(seconds, 10)+suffix)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	w := &Writer{file}
	data := record(versionEvent(now))
	data = append(data, record(startEvent(now, step))...)
	if err := w.write(data); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// freeName returns the seconds for a new file's name: now, or one more than the newest of the event files in dir.
func freeName(dir string, now int64) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		name, isEvents := strings.CutPrefix(e.Name(), prefix)
		name, isOurs := strings.CutSuffix(name, suffix)
		seconds, err := strconv.ParseInt(name, 10, 64)
		if isEvents && isOurs && err == nil {
			now = max(now, seconds+1)
		}
	}
	return now, nil
}

// Write appends an event with the scalars of a step. The bytes are with the operating system when it returns: they
// outlive the process, but not a power cut just after. After an error the file may end in a torn record, and nothing
// more must be written.
func (w *Writer) Write(now time.Time, step int, scalars []Scalar) error {
	return w.write(record(scalarsEvent(now, step, scalars)))
}

func (w *Writer) write(data []byte) error {
	_, err := w.file.Write(data)
	return err
}

// Close makes the file durable and lets it go.
func (w *Writer) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

// record frames data as a TFRecord.
func record(data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedSum(b))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedSum(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedSum is CRC-32C, turned right by 15 bits, plus a constant: sums of data that holds sums are poor ones.
func maskedSum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// Fields of tensorflow.Event and of the messages within it.
const (
	eventTime        = 1 // double, Unix seconds
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	eventSession     = 7 // SessionLog

	sessionStatus = 1 // enum
	sessionStart  = 1 // its value

	summaryValue = 1 // repeated Value
	valueTag     = 1 // string
	valueSimple  = 2 // float
)

// fileVersion makes readers go by the starts of sessions rather than by steps that go back.
const fileVersion = "brain.Event:2"

func versionEvent(now time.Time) []byte {
	return appendBytes(newEvent(now, 0), eventFileVersion, []byte(fileVersion))
}

func startEvent(now time.Time, step int) []byte {
	session := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	session = protowire.AppendVarint(session, sessionStart)
	return appendBytes(newEvent(now, step), eventSession, session)
}

func scalarsEvent(now time.Time, step int, scalars []Scalar) []byte {
	var summary []byte
	for _, s := range scalars {
		value := appendBytes(nil, valueTag, []byte(s.Tag))
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.Value)))
		summary = appendBytes(summary, summaryValue, value)
	}
	return appendBytes(newEvent(now, step), eventSummary, summary)
}

// newEvent is an event so far as all have it.
func newEvent(now time.Time, step int) []byte {
	b := protowire.AppendTag(nil, eventTime, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, math.Float64bits(float64(now.UnixMicro())/1e6))
	if step == 0 { // the default, which is not written
		return b
	}
	b = protowire.AppendTag(b, eventStep, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(step))
}

func appendBytes(b []byte, field protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), data)
}
