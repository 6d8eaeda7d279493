package checkpoints

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// LineFollower reads the lines of a growing file, each line once. The file's writer uses [AppendLine], or [WriteLines]
// to replace it. LineFollower keeps no file open. One goroutine may use it.
type LineFollower struct {
	path string
	seen fs.FileInfo // file info when the file was last read to its end; nil before
	at   int64       // offset after the last line read
	last []byte      // the bytes before at, up to lastBytes: they detect that the file was replaced
}

const (
	lastBytes = 64
	maxRead   = 16 << 20 // largest number of bytes that one Poll reads, and so of a line
)

// FollowLines returns a follower of the file at path, which need not exist yet.
func FollowLines(path string) *LineFollower { return &LineFollower{path: path} }

// Poll returns the new lines, without line ends. It leaves out an unfinished last line, and leaves what exceeds 16 MiB
// for the next call. If reset is true, the file was replaced or removed: forget all earlier lines; the returned ones
// are the first of the new file. A line longer than 16 MiB is an error that wraps [ErrDamaged]. After an error the next
// call tries again.
func (l *LineFollower) Poll() (lines [][]byte, reset bool, err error) {
	info, err := statRegular(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		reset = l.at > 0
		*l = LineFollower{path: l.path}
		return nil, reset, nil
	}
	if err != nil || l.seen != nil && sameFile(info, l.seen) {
		return nil, false, err
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if l.at > 0 && !l.continues(f) {
		*l, reset = LineFollower{path: l.path}, true
	}
	data, err := io.ReadAll(io.NewSectionReader(f, l.at, maxRead))
	if err != nil {
		return nil, reset, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	switch {
	case len(data) < maxRead:
		l.seen = info
	case end == 0:
		return nil, reset, fmt.Errorf("%s: %w: a line is longer than 16 MiB", l.path, ErrDamaged)
	}
	if end == 0 {
		return nil, reset, nil
	}
	l.at += int64(end)
	l.last = bytes.Clone(data[max(0, end-lastBytes):end])
	return bytes.Split(data[:end-1], []byte{'\n'}), reset, nil
}

// sameFile reports whether two file infos describe the same file, with the same size and modification time.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// continues reports whether f still has l.last, the last bytes that were read, just before l.at.
func (l *LineFollower) continues(f *os.File) bool {
	have := make([]byte, len(l.last))
	_, err := f.ReadAt(have, l.at-int64(len(have)))
	return (err == nil || err == io.EOF) && bytes.Equal(have, l.last)
}

// FileWatcher detects when a writer replaces the file at Path. It keeps no file open. One goroutine may use it.
type FileWatcher struct {
	Path string
	seen fs.FileInfo
}

// Changed reports whether the file changed since the last call; the first call returns true. If there is no file, the
// error wraps [fs.ErrNotExist]. A file that is not regular is an error too.
func (f *FileWatcher) Changed() (bool, error) {
	info, err := statRegular(f.Path)
	before := f.seen
	f.seen = info
	if err != nil {
		return false, err
	}
	return before == nil || !sameFile(info, before), nil
}
