//go:build !amd64 || purego

package kernel

// paths lists what this machine can run.
func paths() []path { return []path{pure} }
