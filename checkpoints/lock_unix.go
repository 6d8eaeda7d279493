//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package checkpoints

import (
	"os"
	"syscall"
)

// The two kinds of file lock. Any number of holders may share a shared lock; an exclusive lock has one holder.
const exclusive, shared = syscall.LOCK_EX, syscall.LOCK_SH

// lockFile locks f until f is closed. It does not wait: it returns errHeld if another holder has the lock.
func lockFile(f *os.File, kind int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), kind|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}
