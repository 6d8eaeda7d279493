//go:build !amd64 || purego

package kernel

// availableInstructions lists the instruction sets of this machine.
func availableInstructions() []instructions { return []instructions{pure} }
