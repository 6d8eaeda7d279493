//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

// paths lists what this machine can run, best first.
func paths() []path {
	list := []path{pure}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append([]path{pathAVX2}, list...)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ {
			list = append([]path{pathAVX512}, list...)
		}
	}
	return list
}
