package kernel

// Conv is a 3x3 convolution with zero padding on boards of H x W cells, with packed weights. It is immutable and safe
// to share.
type Conv struct {
	h, w, in, out int
	board         Winograd
	useWinograd   bool      // by the Winograd transform; otherwise method direct
	weights       []float32 // packed, see packPlanes and packTaps
}

// NewConv prepares a convolution with weights [out, 3, 3, in]; in and out are multiples of 8. Boards with sides of 3 to
// 20 cells use the Winograd transform, others nine shifted products (direct). For 8 to 64 channels and 32 boards the
// transform took 0.23 to 0.65 of the time of direct on every such board, with AVX2 and AVX-512, so the choice depends
// on the board alone.
func NewConv(h, w, in, out int, weights []float32) *Conv {
	if in%8 != 0 || out%8 != 0 || len(weights) != out*9*in {
		panic("kernel: NewConv needs weights [out, 3, 3, in], in and out multiples of 8")
	}
	c := &Conv{h: h, w: w, in: in, out: out}
	c.board, c.useWinograd = NewWinograd(h, w)
	if c.useWinograd {
		c.weights = packPlanes(c.board, in, out, weights)
	} else {
		c.weights = packTaps(in, out, weights)
	}
	return c
}

// PadChannels rounds a number of channels up to a multiple of 8, the number that activations have in memory. The
// channels added are zeros.
func PadChannels(c int) int { return (c + 7) &^ 7 }

// ChannelsLast writes the planes src [channels, cells] to dst [cells, channels], where a cell of dst has PadChannels
// values. It does not write the padding.
func ChannelsLast(dst, src []float32, channels, cells int) {
	padded := PadChannels(channels)
	for c := range channels {
		at := c
		for _, v := range src[c*cells : (c+1)*cells] {
			dst[at] = v
			at += padded
		}
	}
}

// Pack returns the matrix B [k, n] with the given elements, stored in panels of 16 columns: each panel is [k, 16]. In a
// [Gemm] it has BRow 16 and BPanel 16 k.
func Pack(k, n int, element func(i, j int) float32) []float32 {
	packed := Aligned(panelFloats(k, n))
	for i := range k {
		for j := range n {
			packed[panelIndex(k, i, j)] = element(i, j)
		}
	}
	return packed
}

// panelFloats is the number of floats of a matrix [in, out] in panels of 16 columns.
func panelFloats(in, out int) int { return (out + 15) / 16 * 16 * in }

// panelIndex is the index of element (i, o) of a matrix with in rows, stored in panels of 16 columns.
func panelIndex(in, i, o int) int { return (o/16*in+i)*16 + o%16 }

// packPlanes returns the transformed weights U = G g Gᵀ: for each point, a matrix [in, out] in panels.
func packPlanes(board Winograd, in, out int, weights []float32) []float32 {
	size := panelFloats(in, out)
	packed := Aligned(board.Points() * size)
	rows, columns := board.down[0].Shape.Matrices().G, board.along[0].Shape.Matrices().G
	for o := range out {
		for i := range in {
			var tap [3][3]float64
			for k := range 9 {
				tap[k/3][k%3] = float64(weights[(o*9+k)*in+i])
			}
			place := panelIndex(in, i, o)
			for p, g := range rows {
				var line [3]float64
				for k := range line {
					line[k] = g[0]*tap[0][k] + g[1]*tap[1][k] + g[2]*tap[2][k]
				}
				for q, g := range columns {
					packed[(p*board.pW+q)*size+place] = float32(g[0]*line[0] + g[1]*line[1] + g[2]*line[2])
				}
			}
		}
	}
	return packed
}

// packTaps returns the weights as nine matrices [in, out] in panels, one for each tap.
func packTaps(in, out int, weights []float32) []float32 {
	size := panelFloats(in, out)
	packed := Aligned(9 * size)
	for k := range 9 {
		copy(packed[k*size:], Pack(in, out, func(i, o int) float32 { return weights[(o*9+k)*in+i] }))
	}
	return packed
}

// Conv computes dst [rows, H, W, out] from src [rows, H, W, in]. They must not overlap.
func (s *Scratch) Conv(c *Conv, dst, src []float32, rows int, epilogue Epilogue) {
	if !c.useWinograd {
		s.direct(c, dst, src, rows, epilogue)
		return
	}
	s.ConvPlanes(c.board, dst, src, rows, Gemm{
		N: c.out, K: c.in, B: c.weights, BRow: 16, BPanel: 16 * c.in, BPlane: panelFloats(c.in, c.out),
	}, epilogue)
}

// ConvPlanes is Conv with transformed weights U: as matrix B, products has a plane [in, out] = [K, N] for each point.
// It sets the rest of products.
func (s *Scratch) ConvPlanes(board Winograd, dst, src []float32, rows int, products Gemm, epilogue Epilogue) {
	in, out, tiles := products.K, products.N, board.Tiles()
	together := board.together(rows)
	products.Planes = board.Points()
	v, m := Planes{Stride: PlaneStride(together * tiles * in)}, Planes{Stride: PlaneStride(together * tiles * out)}
	v.Data = floats(&s.planes[0], products.Planes*v.Stride)
	m.Data = floats(&s.planes[1], products.Planes*m.Stride)
	products.A, products.ARow, products.ACol, products.APlane = v.Data, in, 1, v.Stride
	products.C, products.CRow, products.CPlane = m.Data, out, m.Stride
	for first := 0; first < rows; first += together {
		n := min(together, rows-first)
		s.TransformInput(board, v, src[first*board.Cells()*in:], n, in)
		products.M = n * tiles
		s.Gemm(&products)
		s.TransformOutput(board, dst[first*board.Cells()*out:], m, n, out, epilogue)
	}
}

// direct computes a convolution as the sum of nine products, one for each tap, over the boards' cells whose neighbour
// exists. The centre tap comes last, because it covers all cells and so can apply ReLU.
func (s *Scratch) direct(c *Conv, dst, src []float32, rows int, epilogue Epilogue) {
	cells := c.h * c.w
	epilogue.Start(dst[:rows*cells*c.out], c.out)
	for row := range rows {
		from, to := src[row*cells*c.in:], dst[row*cells*c.out:]
		for _, k := range [9]int{0, 1, 2, 3, 5, 6, 7, 8, 4} {
			y, x := k/3-1, k%3-1 // the tap reads the cell at (+y, +x)
			lines, width := c.h-max(y, -y), c.w-max(x, -x)
			if lines < 1 || width < 1 {
				continue
			}
			target := to[(max(-y, 0)*c.w+max(-x, 0))*c.out:] // from the first cell with that neighbour
			s.Gemm(&Gemm{
				M: width, N: c.out, K: c.in, Planes: lines,
				A: from[(max(y, 0)*c.w+max(x, 0))*c.in:], ARow: c.in, ACol: 1, APlane: c.w * c.in,
				B: c.weights[k*panelFloats(c.in, c.out):], BRow: 16, BPanel: 16 * c.in,
				C: target, CRow: c.out, CPlane: c.w * c.out,
				Init: target, InitRow: c.out, InitPlane: c.w * c.out,
				ReLU: epilogue.ReLU && k == 4,
			})
		}
	}
}
