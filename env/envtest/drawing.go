package envtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
)

// checkDrawing checks a game's Drawing. In random games, pieces must stand on existing cells, and every move must
// change its own cells only.
func checkDrawing(g *env.Game) error {
	d := &g.Drawing
	if len(d.Rows) != g.Tensor.H || len(d.Columns) != g.Tensor.W || len(d.Cells) != g.Tensor.Cells() ||
		len(d.ActionCells) != g.NumActions() {
		return errors.New("a drawing needs a label for each row and column, every cell, and every action's cells")
	}
	for i, p := range d.Pieces {
		if p.Name == "" || slices.ContainsFunc(d.Pieces[:i], func(q env.Piece) bool { return q.Name == p.Name }) {
			return fmt.Errorf("piece %d needs a name of its own", i)
		}
	}
	names := map[string]bool{}
	for cell := range d.Cells {
		names[g.CellName(int32(cell))] = true
	}
	if len(names) < len(d.Cells) {
		return errors.New("each cell needs a name of its own")
	}
	for a, cells := range d.ActionCells {
		if err := checkActionCells(g, g.ActionTexts[a], cells); err != nil {
			return fmt.Errorf("action %d: %w", a, err)
		}
	}
	for _, s := range g.Symmetries {
		for cell, to := range s.Cells {
			if d.Cells[cell] != d.Cells[to] {
				return fmt.Errorf("a symmetry takes cell %d to %d, of which only one exists", cell, to)
			}
		}
	}
	return checkPieces(g)
}

// checkActionCells checks that an action's cells exist and, unless they are guesses, that its text names each by row and
// column, or by column and row.
func checkActionCells(g *env.Game, text string, cells env.FromTo) error {
	words := strings.Fields(strings.Trim(text, "()"))
	var rowsFirst, columnsFirst []string
	for _, cell := range []int32{cells.From, cells.To} {
		if cell == env.NoCell {
			continue
		}
		if cell < 0 || int(cell) >= len(g.Drawing.Cells) || !g.Drawing.Cells[cell] {
			return fmt.Errorf("its cell %d does not exist", cell)
		}
		row, column := g.Drawing.Rows[int(cell)/g.Tensor.W], g.Drawing.Columns[int(cell)%g.Tensor.W]
		rowsFirst, columnsFirst = append(rowsFirst, row, column), append(columnsFirst, column, row)
	}
	if g.Drawing.Inferred {
		return nil
	}
	if cells.From != env.NoCell && (cells.To == env.NoCell || cells.To == cells.From) || text == "" && cells != env.NoCells {
		return fmt.Errorf("its cells are %v", cells)
	}
	if text != "" && !slices.Equal(words[1:], rowsFirst) && !slices.Equal(words[1:], columnsFirst) {
		return fmt.Errorf("its text %s does not name the cells %v", text, rowsFirst)
	}
	return nil
}

// checkPieces checks in random games that Pieces, Status and the cells of each move are right.
func checkPieces(g *env.Game) error {
	const sentinel = 77
	var before []uint8
	var mover env.Player
	return eachPosition(g, 60, func(w *walk) error {
		list := w.State.Pieces([]uint8{sentinel})
		if len(list) != 1+g.Tensor.Cells() || list[0] != sentinel {
			return w.errorf("Pieces must append one entry for each of %d cells; got %v", g.Tensor.Cells(), list)
		}
		after := list[1:]
		for cell, piece := range after {
			if int(piece) > len(g.Drawing.Pieces) || piece > 0 && !g.Drawing.Cells[cell] {
				return w.errorf("piece %d on cell %d", piece, cell)
			}
		}
		if status := g.Status(w.State); status == "" || strings.Contains(status, "\n") {
			return w.errorf("the status must be one line, not %q", status)
		}
		if n := len(w.Moves); n > 0 && !g.Drawing.Inferred {
			if err := checkChange(&g.Drawing, g.Drawing.ActionCells[w.Moves[n-1]], mover, before, after); err != nil {
				return w.errorf("the last move %v", err)
			}
		}
		before = slices.Clone(after)
		if !w.State.Done() {
			mover = w.State.Player()
		}
		return nil
	})
}

// checkChange checks the pieces before and after a move. If the move has cells, To must hold another piece than before:
// the mover's or a neutral one, and the one that stood on From if there is a From. From must then be empty, or look
// unchanged because the rules put an equal piece there at once. No other cell may change, unless d.Flips.
func checkChange(d *env.Drawing, cells env.FromTo, mover env.Player, before, after []uint8) error {
	for cell := range after {
		if c := int32(cell); !d.Flips && c != cells.From && c != cells.To && before[cell] != after[cell] {
			return fmt.Errorf("changes cell %d, which is not its own", cell)
		}
	}
	if cells == env.NoCells {
		return nil
	}
	from, to := cells.From, cells.To
	if after[to] == 0 || after[to] == before[to] {
		return errors.New("puts no piece on its cell")
	}
	if p := d.Pieces[after[to]-1]; !p.Neutral && p.Player != mover {
		return fmt.Errorf("places or moves an opponent's piece, %s", p.Name)
	}
	if from != env.NoCell && (after[to] != before[from] || after[from] != 0 && after[from] != before[from]) {
		return errors.New("does not take its piece along")
	}
	return nil
}

// checkWinningCells checks that only won games have winning cells, that they are distinct and hold the winner's pieces,
// and that the last move's cell is one of them: otherwise the game would have ended earlier. If one of them is empty, the
// last move may be elsewhere.
func checkWinningCells(g *env.Game) error {
	const sentinel = -7
	return eachPosition(g, 200, func(w *walk) error {
		cells := w.State.WinningCells([]int32{sentinel})
		if len(cells) == 0 || cells[0] != sentinel {
			return w.errorf("WinningCells must append to dst; got %v", cells)
		}
		cells = cells[1:]
		if len(cells) == 0 {
			return nil
		}
		goals, pieces := w.State.Goals(), w.State.Pieces(nil)
		if !w.State.Done() || goals[0] == goals[1] {
			return w.errorf("winning cells %v, but nobody has won", cells)
		}
		winner := env.First
		if goals[1] > goals[0] {
			winner = env.Second
		}
		empty := 0
		for i, cell := range cells {
			if cell < 0 || int(cell) >= len(pieces) || !g.Drawing.Cells[cell] || slices.Contains(cells[:i], cell) {
				return w.errorf("winning cells %v: %d does not exist or is repeated", cells, cell)
			}
			k := pieces[cell]
			if k == 0 {
				empty++
			} else if g.Drawing.Pieces[k-1].Neutral || g.Drawing.Pieces[k-1].Player != winner {
				return w.errorf("winning cells %v: the winner has no piece on %d", cells, cell)
			}
		}
		if empty > 1 || empty == len(cells) {
			return w.errorf("winning cells %v: %d are empty", cells, empty)
		}
		if last := g.Drawing.ActionCells[w.Moves[len(w.Moves)-1]].To; empty == 0 && !slices.Contains(cells, last) {
			return w.errorf("winning cells %v lack the last move's, %d", cells, last)
		}
		return nil
	})
}
