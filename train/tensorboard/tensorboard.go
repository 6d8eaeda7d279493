package tensorboard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	pb "ludus/model/protobuf"
)

// Parts of an event file's name: prefix, Unix seconds, suffix. TensorBoard looks for "tfevents" in it.
const (
	prefix = "events.out.tfevents."
	suffix = ".ludus"
)

// Scalar is a point of the curve named Tag; tags with the same part before a slash form a group.
type Scalar struct {
	Tag   string
	Value float64 // stored as float32
}

// Writer appends events to a file of its own. It is not safe for concurrent use.
type Writer struct {
	dir  string
	step int      // step at which the session starts
	file *os.File // nil before the first Write
}

// NewWriter returns a writer of a session that starts at step. The first Write creates its event file in dir.
func NewWriter(dir string, step int) *Writer { return &Writer{dir: dir, step: step} }

// create creates the event file and starts the session. The file name contains the time: now, or one second past the
// newest event file in the directory, whichever is later, since names must ascend from session to session.
func (w *Writer) create(now time.Time) error {
	seconds, err := nextTimestamp(w.dir, now.Unix())
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, prefix+strconv.FormatInt(seconds, 10)+suffix)
	if w.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return err
	}
	session := pb.Message(eventSession, pb.Int(sessionStatus, sessionStart))
	_, err = w.file.Write(slices.Concat(
		record(event(now, 0, pb.Bytes(eventFileVersion, fileVersion))), record(event(now, w.step, session))))
	return err
}

// nextTimestamp returns the Unix seconds for a new file's name: now or, if later, one second past dir's newest event
// file.
func nextTimestamp(dir string, now int64) (int64, error) {
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

// Write appends an event with the scalars of a step. When it returns, the operating system has the bytes: they survive
// the end of the process, but perhaps not a power failure. Do not write after an error: the file may end in a torn
// record.
func (w *Writer) Write(now time.Time, step int, scalars []Scalar) error {
	if w.file == nil {
		if err := w.create(now); err != nil {
			return err
		}
	}
	var values [][]byte
	for _, s := range scalars {
		values = append(values, pb.Message(summaryValue, pb.Bytes(valueTag, s.Tag), pb.Float(valueSimple, float32(s.Value))))
	}
	_, err := w.file.Write(record(event(now, step, pb.Message(eventSummary, values...))))
	return err
}

// Close makes the file durable and closes it, if there is one.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	return errors.Join(w.file.Sync(), w.file.Close())
}

// record frames data as a TFRecord.
func record(data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedSum(b))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedSum(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedSum is the CRC-32C of data, rotated right by 15 bits, plus a constant. Without the mask, checksums of data that
// contains checksums would be weak.
func maskedSum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// Protocol buffer field numbers of tensorflow.Event and its messages.
const (
	eventTime        = 1 // double, Unix seconds
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	eventSession     = 7 // SessionLog

	sessionStatus = 1 // enum
	sessionStart  = 1 // value of sessionStatus

	summaryValue = 1 // repeated Value
	valueTag     = 1 // string
	valueSimple  = 2 // float
)

// fileVersion makes readers discard earlier events at the start of a session only, not wherever steps decrease.
const fileVersion = "brain.Event:2"

// event returns a tensorflow.Event with time, step and one more field.
func event(now time.Time, step int, field []byte) []byte {
	event := pb.Double(eventTime, float64(now.UnixMicro())/1e6)
	if step != 0 { // 0 is the default, which is not encoded
		event = append(event, pb.Int(eventStep, step)...)
	}
	return append(event, field...)
}
