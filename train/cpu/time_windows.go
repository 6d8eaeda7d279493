package cpu

import (
	"time"

	"golang.org/x/sys/windows"
)

// Time returns the CPU time that the process has used.
func Time() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) } // in units of 100 ns
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
