package cpu

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// Cores lists the cores that this process may run on, in ascending order.
func Cores() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return allCores()
	}
	var cores []int
	for core := range len(set) * strconv.IntSize {
		if set.IsSet(core) {
			cores = append(cores, core)
		}
	}
	return cores
}

// Pin makes a process run on one core, with all its threads and those that it starts later. It works on Linux only; on
// other systems it does nothing.
func Pin(pid, core int) error {
	var set unix.CPUSet
	set.Set(core)
	var pinned []int
	for { // repeat: a thread that is not pinned yet may start others, which inherit its cores
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		before := len(pinned)
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil || slices.Contains(pinned, id) {
				continue
			}
			if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("pin thread %d to core %d: %w", id, core, err)
			}
			pinned = append(pinned, id)
		}
		if len(pinned) == before {
			return nil
		}
	}
}
