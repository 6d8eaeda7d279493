//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package checkpoints

import (
	"errors"
	"os"
)

func lockFile(*os.File, bool) error { return errors.ErrUnsupported }
