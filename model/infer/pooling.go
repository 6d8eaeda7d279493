package infer

import "math"

// pooledValues is the number of values that pooling makes of a channel.
const pooledValues = 3

// Pooling summarises the channels of a board of any size: of each channel it computes the mean over the cells, the mean
// times (b - 14) / 10, and the maximum. b is the square root of the number of cells. The scaled mean lets a layer weigh
// the mean by the size of the board. Source: Wu 2019, "Accelerating self-play learning in Go", section 3.3 (global
// pooling), which has the side of a square board for b.
type Pooling struct {
	cells       int
	inverse     float32 // 1 / cells
	boardFactor float32 // (b - 14) / 10
}

// NewPooling returns the pooling of boards with that many cells.
func NewPooling(cells int) *Pooling {
	return &Pooling{cells, 1 / float32(cells), float32((math.Sqrt(float64(cells)) - 14) / 10)}
}

// Forward pools each board of x [rows, cells, channels] to a row of y [rows, 3, channels]. x is at least 0, as after a ReLU;
// channels is even.
func (p *Pooling) Forward(y, x []float32, rows, channels int) {
	for r := range rows {
		mean, scaled, top := p.parts(y, r, channels)
		board := x[r*p.cells*channels:][:p.cells*channels]
		for c := 0; c < channels; c += 2 { // two sums and maxima stay in registers
			var sum0, sum1, top0, top1 float32
			for i := c; i+2 <= len(board); i += channels {
				v0, v1 := board[i], board[i+1]
				sum0 += v0
				sum1 += v1
				if v0 > top0 {
					top0 = v0
				}
				if v1 > top1 {
					top1 = v1
				}
			}
			mean[c], mean[c+1], top[c], top[c+1] = sum0*p.inverse, sum1*p.inverse, top0, top1
		}
		for c, v := range mean {
			scaled[c] = v * p.boardFactor
		}
	}
}

// Backward computes the gradient dx of x from that of y, dy. The maximum's goes to the first cell that has it.
func (p *Pooling) Backward(dx, x, y, dy []float32, rows, channels int) {
	for r := range rows {
		_, _, top := p.parts(y, r, channels)
		dMean, dScaled, dTop := p.parts(dy, r, channels)
		from := r * p.cells * channels
		for c := range channels {
			share, rest := (dMean[c]+dScaled[c]*p.boardFactor)*p.inverse, dTop[c]
			for i := from + c; i < from+p.cells*channels; i += channels {
				dx[i] = share
				if x[i] == top[c] {
					dx[i] += rest
					rest = 0
				}
			}
		}
	}
}

// parts returns the three values of each channel in row r of y.
func (p *Pooling) parts(y []float32, r, channels int) (mean, scaled, top []float32) {
	row := y[r*pooledValues*channels:][:pooledValues*channels]
	return row[:channels], row[channels : 2*channels], row[2*channels:]
}
