package checkpoints

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// LineFollower follows a file that [AppendLine] adds to and [WriteLines] replaces, and reads each line once. It keeps no file
// open, and belongs to one goroutine.
type LineFollower struct {
	path string
	seen fs.FileInfo // of the file when all of it had been read; nil before that
	at   int64       // offset behind the last line that was read
	last []byte      // what stands before it, at most lastBytes: another file in this one's place has something else there
}

const (
	lastBytes = 64
	// mostRead bounds what a call of More reads, and so the length of a line.
	mostRead = 1 << 20
)

// FollowLines follows the file at path, which need not exist.
func FollowLines(path string) *LineFollower { return &LineFollower{path: path} }

// Poll returns lines that it has not returned before, without their line ends: at most 1 MiB of them, so that the caller
// goes on until there are none. A last line without an end is not returned, since its writer is at it. With afresh, what
// earlier calls returned no longer holds: the file is gone or another one, of which these are the first lines. The error is
// that of reading, or wraps [ErrDamaged] where a line is longer than 1 MiB; the next call tries again.
func (l *LineFollower) Poll() (lines [][]byte, afresh bool, err error) {
	info, err := statRegular(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		afresh = l.at > 0
		*l = LineFollower{path: l.path}
		return nil, afresh, nil
	}
	if err != nil || l.seen != nil && same(info, l.seen) {
		return nil, false, err
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if l.at > 0 && !l.continues(f) {
		*l, afresh = LineFollower{path: l.path}, true
	}
	block := make([]byte, min(mostRead, max(info.Size()-l.at, 0)+1)) // one more, to see the end
	n, err := f.ReadAt(block, l.at)
	if err != nil && err != io.EOF {
		return nil, afresh, err
	}
	end := bytes.LastIndexByte(block[:n], '\n') + 1
	if end == 0 && n == mostRead {
		return nil, afresh, fmt.Errorf("%s: %w: a line is longer than 1 MiB", l.path, ErrDamaged)
	}
	if err == io.EOF {
		l.seen = info
	}
	if end == 0 {
		return nil, afresh, nil
	}
	l.at += int64(end)
	l.last = bytes.Clone(block[max(0, end-lastBytes):end])
	return bytes.Split(block[:end-1], []byte{'\n'}), afresh, nil
}

// same says that nothing was written between two looks at a file.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// continues says that f holds, before at, what was read there.
func (l *LineFollower) continues(f *os.File) bool {
	have := make([]byte, len(l.last))
	_, err := f.ReadAt(have, l.at-int64(len(have)))
	return (err == nil || err == io.EOF) && bytes.Equal(have, l.last)
}

// FileWatcher tells when a file that is replaced as a whole has been. It keeps no file open, and belongs to one goroutine.
type FileWatcher struct {
	Path string
	seen fs.FileInfo
}

// Changed reports whether the file is another one than at the last call. Where there is none, the error wraps
// [fs.ErrNotExist]; what is no regular file is an error too.
func (f *FileWatcher) Changed() (bool, error) {
	info, err := statRegular(f.Path)
	before := f.seen
	f.seen = info
	if err != nil {
		return false, err
	}
	return before == nil || !same(info, before), nil
}
