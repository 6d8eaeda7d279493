package checkpoints

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks f until it is closed, at once or not at all; a shared lock keeps out only those that are not shared.
// Windows' locks keep others from reading what they cover, so this one covers a byte far behind the holder's number.
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
