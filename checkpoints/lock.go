package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// errHeld is what the system's lock says when somebody else has it.
var errHeld = errors.New("lock held")

// Lock takes the lock file at path, whose directory must exist, and returns what gives it back. If somebody holds it, in
// this process or another, the error wraps [ErrLocked] and names the holder. The lock is the system's, so it ends with the
// process however that dies; the file itself stays, and holds the pid of the last process that had the lock.
//
// On systems without file locks the error wraps [errors.ErrUnsupported].
func Lock(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 32))
		f.Close()
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if pid := strings.TrimSpace(string(holder)); pid != "" {
			return nil, fmt.Errorf("%s: %w (pid %s)", path, ErrLocked, pid)
		}
		return nil, fmt.Errorf("%s: %w", path, ErrLocked)
	}
	pid := strconv.Itoa(os.Getpid()) + "\n"
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(pid), 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil // closing gives the lock back
}
