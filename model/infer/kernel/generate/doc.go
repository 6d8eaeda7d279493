// Generate writes the assembly of package kernel, kernels_amd64.s, and the Go declarations of its functions,
// declare_amd64.go. Run it with `go generate ./model/infer/kernel`. An argument names another output directory.
//
// gemm.go writes matrix products, transform.go the passes of the Winograd transforms and sums.go sums of rows, all for
// AVX2 with FMA and for AVX-512. training.go writes the gradient of ReLU, which only training uses; memory limits its
// speed, so it has an AVX2 version only.
package main
