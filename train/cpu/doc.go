// Package cpu measures CPU time and, on Linux, pins processes to cores.
package cpu
