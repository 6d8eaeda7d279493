//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package checkpoints

import (
	"os"
	"syscall"
)

// lockFile locks f until f is closed. It does not wait: it returns errHeld if another holder has the lock. Shared locks
// exclude only exclusive ones.
func lockFile(f *os.File, shared bool) error {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}
