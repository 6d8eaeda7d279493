package infer

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

const (
	alignment  = 64      // bytes, one cache line
	rowBlock   = 64      // gonum multiplies up to 64x64 on the calling goroutine
	innerBytes = 1 << 15 // of B kept in the first-level cache
)

// Aligned returns n zeros that start at a multiple of 64 bytes.
func Aligned(n int) []float32 {
	buffer := make([]float32, n+alignment/4)
	offset := uintptr(unsafe.Pointer(unsafe.SliceData(buffer))) % alignment
	skip := int((alignment - offset) % alignment / 4)
	return buffer[skip : skip+n : skip+n]
}

// GemmNT adds the product of A [m, k] and the transpose of B [n, k] to C [m, n]:
//
//	C[i,j] += sum over l of A[i,l] B[j,l]
//
// All are row-major with row strides lda, ldb, ldc. k and ldb must be multiples of 4 and B must start at a multiple of
// 16 bytes: gonum's dot product splits its sum by the address of B's row, and an element of C is to have the same bits
// wherever the matrices lie and whatever m, n and its place in them are.
func GemmNT(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	if k%4 != 0 || ldb%4 != 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%16 != 0 {
		panic("infer: GemmNT needs k and ldb to be multiples of 4 and b aligned to 16 bytes")
	}
	columns := min(max(innerBytes/4/max(k, 1), 4), 64)
	for j := 0; j < n; j += columns {
		for i := 0; i < m; i += rowBlock {
			gonum.Implementation{}.Sgemm(blas.NoTrans, blas.Trans, min(rowBlock, m-i), min(columns, n-j), k,
				1, a[i*lda:], lda, b[j*ldb:], ldb, 1, c[i*ldc+j:], ldc)
		}
	}
}

// Conv3x3 adds to dst [h, w, out] the 3x3 convolution of src [h, w, in], padded with zeros, by weights [out, 3, 3, in]:
//
//	dst[y,x,o] += sum over i, j, c of weights[o,i,j,c] src[y+i-1,x+j-1,c]
//
// in must be a multiple of 4 and weights aligned as for [GemmNT]. columns is scratch for h*w*9*in values.
func Conv3x3(dst, src, weights, columns []float32, h, w, in, out int) {
	im2col(columns, src, h, w, in)
	GemmNT(h*w, out, 9*in, columns, 9*in, weights, 9*in, dst, out)
}

// im2col writes for each cell the 3x3 neighbourhood of src [h, w, c] as one row of dst [h*w, 3, 3, c], zero outside the
// board.
func im2col(dst, src []float32, h, w, c int) {
	for y := range h {
		for x := range w {
			for i := y - 1; i <= y+1; i++ {
				row := dst[:3*c]
				dst = dst[3*c:]
				if i < 0 || i >= h {
					clear(row)
					continue
				}
				lo, hi := max(x-1, 0), min(x+2, w)
				skip := (lo - (x - 1)) * c
				n := copy(row[skip:], src[(i*w+lo)*c:(i*w+hi)*c])
				clear(row[:skip])
				clear(row[skip+n:])
			}
		}
	}
}
