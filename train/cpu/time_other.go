//go:build !unix && !windows

package cpu

import "time"

var started = time.Now()

// Time returns the time since the process started: this system does not tell the CPU time.
func Time() time.Duration { return time.Since(started) }
