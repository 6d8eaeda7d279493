// Generate writes the assembly of package kernel, kernels_amd64.s, and the Go declarations of its functions,
// declare_amd64.go. Run it with `go generate ./model/infer/kernel`. An argument names another output directory.
//
// gemm.go writes matrix products, transform.go the passes of the Winograd transforms and sums.go sums of rows, all for
// AVX2 with FMA and for AVX-512. training.go writes kernels that only training uses; memory limits their speed, so they
// have an AVX2 version only.
package main
