package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
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
	if err := lockPatiently(f); err != nil {
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

// lookTime is far longer than a look of [Locked] holds the lock.
const lookTime = 30 * time.Millisecond

// lockPatiently locks f. Somebody may just be looking: a lock that is held is tried for again within lookTime.
func lockPatiently(f *os.File) error {
	for start := time.Now(); ; time.Sleep(lookTime / 10) {
		if err := lockFile(f, false); !errors.Is(err, errHeld) || time.Since(start) > lookTime {
			return err
		}
	}
}

// Locked reports whether somebody holds the lock file at path, in this process or another. It changes nothing, and does
// not disturb who takes the lock meanwhile. A missing file is held by nobody.
//
// On systems without file locks the error wraps [errors.ErrUnsupported].
func Locked(path string) (bool, error) {
	_, err := statRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = lockFile(f, true)
	if errors.Is(err, errHeld) {
		return true, nil
	}
	if err != nil {
		err = fmt.Errorf("lock %s: %w", path, err)
	}
	return false, err
}
