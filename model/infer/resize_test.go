package infer

import (
	"ludus/env/games"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestResize moves a network to boards of other sizes: the sums over an even board stay, back and forth.
func TestResize(t *testing.T) {
	small := games.Must("hex(size=3)")
	w := randomWeights(small, Config{Game: small.Name, Channels: 8, Blocks: 2}, 1)
	for _, size := range []string{"2", "3", "4", "6", "7"} {
		large := games.Must("hex(size=" + size + ")")
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
				if !slices.Equal(data, old.Data) {
					t.Fatalf("size %s: %s changes", size, old.Name)
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
		small, large := games.Must(c.small), games.Must(c.large)
		w := randomWeights(small, Config{Game: small.Name, Channels: 8}, 1)
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

// TestResizePooled: a pooled network keeps all its weights on every size.
func TestResizePooled(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"hex(size=3)", "hex(size=11)"}, {"hex(size=11)", "hex(size=3)"}, {"quad-7x7", "quad(size=8)"},
		{"line-up(width=4,height=3,line=3,gravity=1)", "line-up(width=8,height=9,line=3,gravity=1)"},
	} {
		from, to := games.Must(c.from), games.Must(c.to)
		w := randomWeights(from, Config{Game: from.Name, Channels: 8, Blocks: 1, Pooled: true}, 1)
		w.ValueScale = 0.25
		resized, err := w.Resize(from, to)
		if err != nil {
			t.Fatal(err)
		}
		if err := resized.Validate(to); err != nil {
			t.Error(err)
		}
		want := Config{Game: to.Name, Channels: 8, Blocks: 1, Pooled: true}
		if resized.Config != want || resized.ValueScale != 0.25 {
			t.Errorf("%s: config %v, value scale %v", c.to, resized.Config, resized.ValueScale)
		}
		for i, tensor := range resized.Tensors {
			if !slices.Equal(tensor.Data, w.Tensors[i].Data) {
				t.Errorf("%s: %s changes", c.to, tensor.Name)
			}
		}
	}
}

// TestResizeRefuses games of other families, and other planes or moves.
func TestResizeRefuses(t *testing.T) {
	from := games.Must("hex(size=3)")
	w := randomWeights(from, Config{Game: from.Name, Channels: 8, Blocks: 1}, 1)
	for name, want := range map[string]string{
		"othello-6x6":        "no other size",
		"hex(size=4,swap=0)": "rules differ in more than the size",
	} {
		if _, err := w.Resize(from, games.Must(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
