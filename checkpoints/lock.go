package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// errHeld is the error of lockFile if another holder has the lock.
var errHeld = errors.New("lock held")

// Lock locks the file at path and returns a function that releases it. The directory must exist. If this or another
// process holds the lock, the error wraps [ErrLocked] and names that process. The operating system releases the lock
// when the process ends in any way. The file stays; it contains the pid of the last holder.
//
// On systems without file locks the error wraps [errors.ErrUnsupported].
func Lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := lockRetrying(f); err != nil {
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
	return func() { f.Close() }, nil // closing releases the lock
}

// lockTimeout is how long [Lock] retries while the file is locked. [Locked] locks it for a far shorter time.
const lockTimeout = 200 * time.Millisecond

// lockRetrying locks f. It retries for lockTimeout, because another process may hold the lock for a moment in [Locked].
func lockRetrying(f *os.File) error {
	for start := time.Now(); ; time.Sleep(lockTimeout / 10) {
		if err := lockFile(f, exclusive); !errors.Is(err, errHeld) || time.Since(start) > lockTimeout {
			return err
		}
	}
}

// Locked reports whether this or another process holds the lock at path; false if that cannot be checked. It changes
// nothing. It takes a shared lock for a moment; a concurrent [Lock] does not fail, because it retries for longer.
func Locked(path string) bool {
	if _, err := statRegular(path); err != nil {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockFile(f, shared), errHeld)
}
