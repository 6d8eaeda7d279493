package checkpoints

import (
	"os"

	"golang.org/x/sys/windows"
)

// The two kinds of file lock. Any number of holders may share a shared lock; an exclusive lock has one holder.
const exclusive, shared = windows.LOCKFILE_EXCLUSIVE_LOCK, 0

// lockFile locks f until f is closed. It does not wait: it returns errHeld if another holder has the lock. A lock on
// Windows blocks reading of the locked bytes, so it covers one byte far after the pid.
func lockFile(f *os.File, kind uint32) error {
	kind |= windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), kind, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if err == windows.ERROR_LOCK_VIOLATION {
		return errHeld
	}
	return err
}
