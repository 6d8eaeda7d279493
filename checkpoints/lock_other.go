//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package checkpoints

import (
	"errors"
	"os"
)

// The two kinds of file lock, without meaning here.
const exclusive, shared = 0, 0

// lockFile always fails: ludus knows no file locks of this system.
func lockFile(*os.File, int) error { return errors.ErrUnsupported }
