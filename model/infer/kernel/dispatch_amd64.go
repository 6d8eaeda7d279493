//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

// instructionsAVX2 are the kernels for AVX2 with FMA.
var instructionsAVX2 = instructions{
	name:         "AVX2",
	lanes:        8,
	gemm16Rows:   6,
	gemm16:       gemm16AVX2,
	gemm8:        gemm8AVX2,
	sums:         sumsAVX2,
	reluGradient: reluGradientAVX2,
	transforms:   transformsAVX2,
}

// instructionsAVX512 are the kernels for AVX-512. Those for 8 columns, one AVX2 vector, and the gradient of ReLU, which
// memory limits, are the AVX2 ones.
var instructionsAVX512 = instructions{
	name:         "AVX-512",
	lanes:        16,
	gemm16Rows:   16,
	gemm16:       gemm16AVX512,
	gemm8:        gemm8AVX2,
	gemm32:       gemm32AVX512,
	sums:         sumsAVX512,
	reluGradient: reluGradientAVX2,
	transforms:   transformsAVX512,
	tail:         &instructionsAVX2,
}

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
