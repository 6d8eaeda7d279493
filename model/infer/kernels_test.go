package infer

import (
	"math"
	"slices"
	"testing"
	"unsafe"
)

func randomFloats(n int, seed uint64) []float32 {
	rng := newRand(seed)
	x := Aligned(n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func TestAligned(t *testing.T) {
	for n := range 50 {
		x := Aligned(n)
		if len(x) != n || cap(x) != n || n > 0 && uintptr(unsafe.Pointer(&x[0]))%alignment != 0 {
			t.Fatalf("Aligned(%d) has length %d, capacity %d, address %p", n, len(x), cap(x), x)
		}
	}
}

func TestGemmNT(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 4}, {3, 5, 8}, {25, 32, 72}, {65, 130, 36}, {200, 7, 300}} {
		m, n, k := size[0], size[1], size[2]
		lda, ldb, ldc := k+3, k+4, n+1
		a, b, c := randomFloats(m*lda, 1), randomFloats(n*ldb, 2), randomFloats(m*ldc, 3)
		was := slices.Clone(c)
		GemmNT(m, n, k, a, lda, b, ldb, c, ldc)
		for i := range m {
			for j := range ldc {
				want := float64(was[i*ldc+j])
				for l := range k {
					if j < n {
						want += float64(a[i*lda+l]) * float64(b[j*ldb+l])
					}
				}
				if got := float64(c[i*ldc+j]); math.Abs(got-want) > 1e-4 {
					t.Fatalf("%v: element (%d, %d) is %v; want %v", size, i, j, got, want)
				}
			}
		}
	}
}

// TestGemmNTBits checks that an element has the same bits wherever the operands lie and however many rows there are.
func TestGemmNTBits(t *testing.T) {
	const m, n, k = 70, 40, 292
	a, b := randomFloats(m*k, 1), randomFloats(n*k, 2)
	want := make([]float32, m*n)
	GemmNT(m, n, k, a, k, b, k, want, n)
	for offset := range 16 {
		a2 := make([]float32, offset+m*k)[offset:]
		copy(a2, a)
		b2 := Aligned(n*k + 64)[offset/4*4:]
		copy(b2, b)
		for _, rows := range []int{1, 7, m} {
			got := make([]float32, rows*n+offset)[offset:]
			GemmNT(rows, n, k, a2, k, b2, k, got, n)
			if !slices.Equal(got, want[:rows*n]) {
				t.Fatalf("%d rows at an offset of %d values have other bits", rows, offset)
			}
		}
	}
}

func TestGemmNTPanics(t *testing.T) {
	x := Aligned(64)
	for name, call := range map[string]func(){
		"k":         func() { GemmNT(1, 1, 3, x, 4, x, 4, x, 1) },
		"ldb":       func() { GemmNT(1, 1, 4, x, 4, x, 5, x, 1) },
		"alignment": func() { GemmNT(1, 1, 4, x, 4, x[1:], 4, x, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func TestConv3x3(t *testing.T) {
	for _, size := range [][4]int{{1, 1, 4, 3}, {1, 5, 4, 4}, {4, 1, 8, 5}, {3, 4, 4, 8}, {9, 9, 8, 4}} {
		h, w, in, out := size[0], size[1], size[2], size[3]
		src, weights := randomFloats(h*w*in, 1), randomFloats(out*9*in, 2)
		dst := randomFloats(h*w*out, 3)
		want := slices.Clone(dst)
		for y := range h {
			for x := range w {
				for o := range out {
					for i := range 9 * in {
						y2, x2 := y+i/in/3-1, x+i/in%3-1
						if y2 >= 0 && y2 < h && x2 >= 0 && x2 < w {
							want[(y*w+x)*out+o] += weights[o*9*in+i] * src[(y2*w+x2)*in+i%in]
						}
					}
				}
			}
		}
		columns := make([]float32, h*w*9*in)
		for i := range columns {
			columns[i] = float32(math.NaN())
		}
		Conv3x3(dst, src, weights, columns, h, w, in, out)
		for i := range dst {
			if d := math.Abs(float64(dst[i] - want[i])); !(d < 1e-4) {
				t.Fatalf("%v: value %d is %v; want %v", size, i, dst[i], want[i])
			}
		}
	}
}
