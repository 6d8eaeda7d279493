//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package checkpoints

import (
	"os"
	"syscall"
)

// lockFile locks f until it is closed, at once or not at all.
func lockFile(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}
