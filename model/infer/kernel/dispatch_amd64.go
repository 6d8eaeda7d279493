//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

// availableInstructions lists the instruction sets of this machine, fastest first.
func availableInstructions() []instructions {
	list := []instructions{pure}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append([]instructions{instructionsAVX2}, list...)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ {
			list = append([]instructions{instructionsAVX512}, list...)
		}
	}
	return list
}
