package infer

import (
	"bytes"
	"math"
	"testing"

	"ludus/env/envtest"
)

// TestHalf compares every binary16 with its definition, and rounding with a search for the nearest one.
func TestHalf(t *testing.T) {
	values := make([]float64, 0x7C00) // of the finite ones, ascending
	for h := range values {
		exponent, fraction := h>>10, float64(h&0x3FF)
		values[h] = math.Ldexp(fraction/1024, -14)
		if exponent > 0 {
			values[h] = math.Ldexp(1+fraction/1024, exponent-15)
		}
		if got := fromHalf(uint16(h)); float64(got) != values[h] || float64(fromHalf(uint16(h|0x8000))) != -values[h] {
			t.Fatalf("binary16 %#x is %v; want %v", h, got, values[h])
		}
		if got := toHalf(float32(values[h])); int(got) != h {
			t.Fatalf("%v becomes %#x; want %#x", values[h], got, h)
		}
	}
	for h, next := range values[1:] {
		middle := (values[h] + next) / 2 // exact in float32
		below, above := math.Nextafter32(float32(middle), 0), math.Nextafter32(float32(middle), math.MaxFloat32)
		even := h + h%2
		if toHalf(below) != uint16(h) || toHalf(above) != uint16(h+1) || toHalf(float32(-middle)) != uint16(even|0x8000) {
			t.Fatalf("between %v and %v: %#x, %#x and %#x", values[h], next, toHalf(below), toHalf(above), toHalf(float32(-middle)))
		}
	}
	if toHalf(1e30) != 0x7BFF || toHalf(-65519.9) != 0xFBFF || !math.IsInf(float64(fromHalf(0x7C00)), 1) {
		t.Error("values beyond the range do not become the largest")
	}
}

// TestMarshalHalf reads rounded weights back: a second rounding changes nothing, and the file is about half as long.
func TestMarshalHalf(t *testing.T) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	w := randomWeights(game, Config{Game: game.Name, Channels: 32, Blocks: 2}, 1)
	data := w.MarshalHalf()
	r, err := Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(game); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(data, r.MarshalHalf()) || r.Config != w.Config || r.ValueScale != w.ValueScale {
		t.Error("rounded weights changed on their way through a file")
	}
	if full := len(w.Marshal()); len(data) > full*11/20 {
		t.Errorf("%d bytes in half precision, %d in full", len(data), full)
	}
	for i, tensor := range w.Tensors {
		for j, x := range tensor.Data {
			if d := math.Abs(float64(r.Tensors[i].Data[j] - x)); d > math.Abs(float64(x))/2048+1e-7 {
				t.Fatalf("%s: %v became %v", tensor.Name, x, r.Tensors[i].Data[j])
			}
		}
	}
}
