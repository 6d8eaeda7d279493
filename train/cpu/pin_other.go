//go:build !linux

package cpu

// Cores lists the cores that this process may run on, in ascending order.
func Cores() []int { return allCores() }

// Pin makes a process run on one core, with all its threads and those that it starts later. It works on Linux only; on
// other systems it does nothing.
func Pin(pid, core int) error { return nil }
