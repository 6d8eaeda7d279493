//go:build unix

package lines

import (
	"errors"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// pollMillis is how long a pending Read may take to notice that the stream was closed.
const pollMillis = 50

// interruptible reads a file only when it has data or has ended.
type interruptible struct {
	file   *os.File
	closed atomic.Bool
}

// Interruptible returns a stream that reads a terminal, pipe or file. Closing it ends a pending Read but leaves the file
// open.
func Interruptible(file *os.File) io.ReadCloser { return &interruptible{file: file} }

func (s *interruptible) Read(p []byte) (int, error) {
	for !s.closed.Load() {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(s.file.Fd()), Events: unix.POLLIN}}, pollMillis)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, os.NewSyscallError("poll", err)
		case n > 0:
			return s.file.Read(p)
		}
	}
	return 0, os.ErrClosed
}

func (s *interruptible) Close() error {
	s.closed.Store(true)
	return nil
}
