//go:build !linux

package cpu

// Cores lists the cores that this process may run on, in ascending order.
func Cores() []int { return allCores() }

// Pin makes a process, all its threads and all threads that it starts later run on one core. On other systems than
// Linux it does nothing.
func Pin(pid, core int) error { return nil }
