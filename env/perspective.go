package env

// This file holds every conversion between the players' perspectives: from First's or absolute to the mover's, and
// back. A conversion for the same player twice gives back the original.

// Sign returns +1 for First and -1 for Second. Multiplying by it turns First's utility into p's.
func (p Player) Sign() float64 { return 1 - 2*float64(p) }

// ByPlayer converts (p's value, opponent's value) to (First's value, Second's value), or back: it swaps the two if p is
// Second.
func ByPlayer[T any](p Player, pair [2]T) [2]T { return [2]T{pair[p], pair[p.Opponent()]} }

// ClassFor turns an outcome, which is a class as First sees it, into the class as p sees it, or back.
func (g *Game) ClassFor(p Player, class int) int {
	if p == First {
		return class
	}
	return len(g.Classes) - 1 - class
}

// ClassesFor turns a distribution [K] over First's classes into one over p's, or back. dst and src must not overlap.
func (g *Game) ClassesFor(dst []float32, p Player, src []float32) {
	for k, x := range src {
		dst[g.ClassFor(p, k)] = x
	}
}

// UtilityFor returns p's utility, in [-1, 1], of an outcome, which is a class as First sees it.
func (g *Game) UtilityFor(p Player, outcome int) float64 {
	return float64(g.Classes[g.ClassFor(p, outcome)].Utility)
}

// ExpectedUtility returns a player's expected utility, in [-1, 1], for a distribution [K] over that player's classes.
func (g *Game) ExpectedUtility(classes []float32) float64 {
	sum := 0.0
	for k, p := range classes {
		sum += float64(p) * float64(g.Classes[k].Utility)
	}
	return sum
}

// Frame returns the map of absolute actions to the frame of mover p: entry a is the policy index of action a. The
// caller must not change it.
func (g *Game) Frame(p Player) []Action { return g.frames[p] }

// FrameCell maps an absolute cell to mover p's frame, as the frame maps the cell's entry in policy plane 0. The planes
// of the tensor and of the policy all use the same mapping.
func (g *Game) FrameCell(p Player, cell int) int { return int(g.frames[p][cell]) % g.Tensor.Cells() }

// Opposite reports whether the players sit opposite each other: what is the near side of the board for First is the far
// side for Second. Then cell 0, a corner, has another place for Second; exchanging rows and columns keeps it.
func (g *Game) Opposite() bool { return g.FrameCell(Second, 0) != 0 }

// Transform applies the symmetry to every plane of src (one value per cell) and writes the result to dst: the value of
// cell i goes to cell s.Cells[i] of the same plane. dst and src have the same length, a multiple of the number of
// cells, and must not overlap.
func (s *Symmetry) Transform(dst, src []float32) {
	for n := len(s.Cells); len(src) > 0; dst, src = dst[n:], src[n:] {
		for i, to := range s.Cells {
			dst[to] = src[i]
		}
	}
}
