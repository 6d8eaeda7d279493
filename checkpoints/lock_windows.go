package checkpoints

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks f until f is closed. It does not wait: it returns errHeld if another holder has the lock. Shared locks
// exclude only exclusive ones.
// A lock on Windows blocks reading of the locked bytes, so it covers one byte far after the pid.
func lockFile(f *os.File, shared bool) error {
	var flags uint32 = windows.LOCKFILE_FAIL_IMMEDIATELY
	if !shared {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if err == windows.ERROR_LOCK_VIOLATION {
		return errHeld
	}
	return err
}
