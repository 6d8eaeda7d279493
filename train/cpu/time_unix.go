//go:build unix

package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// Time returns the CPU time that the process has used.
func Time() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
