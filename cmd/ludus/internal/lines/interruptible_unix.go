//go:build unix

package lines

import (
	"errors"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// pollMillis is the longest time in milliseconds until a pending Read notices that the stream was closed.
const pollMillis = 50

// interruptible reads a file. Its Read waits in short polls until there is data or the file ends, so Close can end it.
type interruptible struct {
	file   *os.File
	closed atomic.Bool
}

// Interruptible returns a stream that reads a terminal, pipe or file. Closing it ends a pending Read but leaves the
// file open.
func Interruptible(file *os.File) io.ReadCloser { return &interruptible{file: file} }

func (i *interruptible) Read(p []byte) (int, error) {
	for !i.closed.Load() {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(i.file.Fd()), Events: unix.POLLIN}}, pollMillis)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, os.NewSyscallError("poll", err)
		case n > 0:
			return i.file.Read(p)
		}
	}
	return 0, os.ErrClosed
}

func (i *interruptible) Close() error {
	i.closed.Store(true)
	return nil
}
