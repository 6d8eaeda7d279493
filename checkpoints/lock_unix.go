//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package checkpoints

import (
	"os"
	"syscall"
)

// lockFile locks f until it is closed, at once or not at all; a shared lock keeps out only those that are not shared.
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
