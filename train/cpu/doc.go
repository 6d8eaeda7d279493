// Package cpu measures the CPU time of the process.
package cpu
