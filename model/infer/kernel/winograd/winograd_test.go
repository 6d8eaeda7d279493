package winograd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLine compares y = Aᵀ ((G g) ∘ (B d)), tile by tile, with the convolution's definition.
func TestLine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := MinLine; n <= MaxLine; n++ {
		d, g, y := make([]float64, n), make([]float64, 3), make([]float64, n)
		for i := range d {
			d[i] = random.NormFloat64()
		}
		for i := range g {
			g[i] = random.NormFloat64()
		}
		for _, tile := range Line(n) {
			m := tile.Shape.Matrices()
			for p := range m.P {
				product := dot(m.B[p], d[tile.First-tile.Shape.Before:]) * dot(m.G[p], g)
				for i, a := range m.A[p] {
					y[tile.First+i] += a * product
				}
			}
		}
		for i := range y {
			want := 0.0
			for k := range g {
				if j := i + k - 1; j >= 0 && j < n {
					want += g[k] * d[j]
				}
			}
			if math.Abs(y[i]-want) > 1e-12 {
				t.Errorf("line of %d, cell %d: %v, want %v", n, i, y[i], want)
			}
		}
	}
}

// TestExact checks that float32 represents every coefficient of A and B exactly.
func TestExact(t *testing.T) {
	for _, shape := range Shapes {
		m := shape.Matrices()
		for p := range m.P {
			for _, v := range slices.Concat(m.A[p], m.B[p]) {
				if float64(float32(v)) != v {
					t.Errorf("%+v, point %d: float32 does not hold %v", shape, p, v)
				}
			}
		}
	}
}

// dot is the product of x and the first values of y.
func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
