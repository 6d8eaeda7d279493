// Package cpu measures the CPU time of the process and, on Linux, pins processes to cores, so that trainings that run side by
// side can be compared.
package cpu
