package infer

import (
	"math"
	"slices"
	"testing"
)

// TestPooling pools two boards of four cells and four channels, computed by hand; b is 2, so (b - 14) / 10 is -1.2.
func TestPooling(t *testing.T) {
	p := NewPooling(4)
	x := []float32{
		1, 0, 0, 0 /**/, 2, 8, 0, 0 /**/, 5, 4, 0, 0 /**/, 0, 8, 0, 0,
		0, 0, 0, 0 /**/, 0, 0, 0, 0 /**/, 0, 0, 0, 0 /**/, 0, 4, 0, 0,
	}
	y := make([]float32, 24)
	p.Forward(y, x, 2, 4)
	want := []float32{2, 5, 0, 0 /**/, -2.4, -6, 0, 0 /**/, 5, 8, 0, 0 /**/, 0, 1, 0, 0 /**/, 0, -1.2, 0, 0 /**/, 0, 4, 0, 0}
	near := func(got, want []float32) bool {
		return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
	}
	if !near(y, want) {
		t.Errorf("pooled %v; want %v", y, want)
	}
	// Of equal maxima the first gets the gradient.
	dy := []float32{4, 8, 0, 0 /**/, 0, 0, 0, 0 /**/, 0.5, 0.25, 0, 0 /**/, 0, 0, 0, 0 /**/, 0, 10, 0, 0 /**/, 0, 0.5, 0, 0}
	dx := make([]float32, len(x))
	p.Backward(dx, x, y, dy, 2, 4)
	want = []float32{
		1, 2, 0, 0 /**/, 1, 2.25, 0, 0 /**/, 1.5, 2, 0, 0 /**/, 1, 2, 0, 0,
		0, -3, 0, 0 /**/, 0, -3, 0, 0 /**/, 0, -3, 0, 0 /**/, 0, -2.5, 0, 0,
	}
	if !near(dx, want) {
		t.Errorf("gradient %v; want %v", dx, want)
	}
}
