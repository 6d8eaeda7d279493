package cpu

import "runtime"

// unpinned lists as many cores as the machine has.
func unpinned() []int {
	cores := make([]int, runtime.NumCPU())
	for i := range cores {
		cores[i] = i
	}
	return cores
}
