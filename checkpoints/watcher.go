package checkpoints

import (
	"errors"
	"io/fs"
	"os"
)

// FileWatcher detects when a writer changes, replaces or removes the file at Path. It keeps no file open. One goroutine
// may use it.
type FileWatcher struct {
	Path   string
	seen   fs.FileInfo // nil without a file
	called bool
}

// Changed reports whether the file changed, appeared or disappeared since the last call; the first call returns true. A
// file that is not regular is an error.
func (f *FileWatcher) Changed() (bool, error) {
	info, err := statRegular(f.Path)
	before, first := f.seen, !f.called
	f.seen, f.called = info, true
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return first || before != nil, nil
	case err != nil || before == nil:
		return true, err
	}
	same := os.SameFile(info, before) && info.Size() == before.Size() && info.ModTime().Equal(before.ModTime())
	return !same, nil
}
