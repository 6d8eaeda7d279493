package cpu

import "runtime"

// allCores lists as many cores as the machine has.
func allCores() []int {
	cores := make([]int, runtime.NumCPU())
	for i := range cores {
		cores[i] = i
	}
	return cores
}
