package infer_test

import (
	"math"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/model/infer/infertest"
)

// TestResize moves a network to boards of other sizes: the sums over an even board stay, back and forth.
func TestResize(t *testing.T) {
	small, err := games.New("hex(size=3)")
	if err != nil {
		t.Fatal(err)
	}
	w := infertest.RandomWeights(small, 8, 2, 1)
	for _, size := range []string{"2", "3", "4", "6", "7"} {
		large, err := games.New("hex(size=" + size + ")")
		if err != nil {
			t.Fatal(err)
		}
		resized, err := w.Resize(small, large)
		if err != nil {
			t.Fatal(err)
		}
		if err := resized.Validate(large); err != nil {
			t.Fatal(err)
		}
		for i, old := range w.Tensors {
			data := resized.Tensors[i].Data
			if old.Name != "outcome.hidden.weight" {
				for j := range old.Data {
					if data[j] != old.Data[j] {
						t.Fatalf("size %s: %s changes", size, old.Name)
					}
				}
				continue
			}
			const units, width = 64, 16
			for unit := range units {
				for k := range width {
					sum := func(data []float32) (total float64) {
						for at := unit * len(data) / units; at < (unit+1)*len(data)/units; at += width {
							total += float64(data[at+k])
						}
						return total
					}
					if a, b := sum(old.Data), sum(data); math.Abs(a-b) > 1e-5 {
						t.Fatalf("size %s: unit %d, channel %d: the sum over the board is %v, not %v", size, unit, k, b, a)
					}
				}
			}
		}
	}
}

// TestResizeCells: on a board several times as large, a cell's weights are those of the cell that lies there, shared.
func TestResizeCells(t *testing.T) {
	for _, c := range []struct {
		small, large string
		high, wide   int // how many times as large
	}{
		{"hex(size=3)", "hex(size=6)", 2, 2},
		{"line-up(width=4,height=3,line=3,gravity=1)", "line-up(width=8,height=9,line=3,gravity=1)", 3, 2}, // with figures
	} {
		small, err1 := games.New(c.small)
		large, err2 := games.New(c.large)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		w := infertest.RandomWeights(small, 8, 0, 1)
		resized, err := w.Resize(small, large)
		if err != nil {
			t.Fatal(err)
		}
		old, data := w.Lookup("outcome.hidden.weight"), resized.Lookup("outcome.hidden.weight")
		for unit := range old.Shape[0] {
			for cell := range large.Tensor.Cells() {
				row, column := cell/large.Tensor.W, cell%large.Tensor.W
				from := row/c.high*small.Tensor.W + column/c.wide
				for i := range 16 {
					a, b := old.Data[unit*old.Shape[1]+from*16+i]/float32(c.high*c.wide), data.Data[unit*data.Shape[1]+cell*16+i]
					if math.Abs(float64(a-b)) > 1e-6 {
						t.Fatalf("%s: row %d, column %d: %v, want %v", c.large, row, column, b, a)
					}
				}
			}
		}
	}
}

// TestResizeRefuses games of other families, and other planes or moves.
func TestResizeRefuses(t *testing.T) {
	from, err := games.New("hex(size=3)")
	if err != nil {
		t.Fatal(err)
	}
	w := infertest.RandomWeights(from, 8, 1, 1)
	for name, want := range map[string]string{
		"othello-6x6":        "no other size",
		"hex(size=4,swap=0)": "rules differ in more than the size",
	} {
		to, err := games.New(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Resize(from, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
