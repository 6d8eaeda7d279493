package envtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
)

// checkDrawing checks what a game says about its drawing, and what positions of random games show.
func checkDrawing(g *env.Game) error {
	d := &g.Drawing
	if len(d.Rows) != g.Tensor.H || len(d.Columns) != g.Tensor.W || len(d.Cells) != g.Tensor.Cells() ||
		len(d.ActionCells) != g.NumActions() {
		return errors.New("a drawing needs a label for each row and column, every cell, and every action's touch")
	}
	for i, p := range d.Pieces {
		if p.Name == "" || slices.ContainsFunc(d.Pieces[:i], func(q env.Piece) bool { return q.Name == p.Name }) {
			return fmt.Errorf("piece %d needs a name of its own", i)
		}
	}
	for a, text := range g.ActionTexts {
		if err := checkTouch(g, text, d.ActionCells[a]); err != nil {
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

// checkTouch checks that an action's text names the cells that it touches: each by its row and column, or its column and
// row.
func checkTouch(g *env.Game, text string, t env.FromTo) error {
	words := strings.Fields(strings.Trim(text, "()"))
	var rowsFirst, columnsFirst []string
	for _, cell := range []int32{t.From, t.To} {
		if cell == env.NoCell {
			continue
		}
		if cell < 0 || int(cell) >= len(g.Drawing.Cells) || !g.Drawing.Cells[cell] {
			return fmt.Errorf("it touches cell %d, which does not exist", cell)
		}
		row, column := g.Drawing.Rows[int(cell)/g.Tensor.W], g.Drawing.Columns[int(cell)%g.Tensor.W]
		rowsFirst, columnsFirst = append(rowsFirst, row, column), append(columnsFirst, column, row)
	}
	if t.From != env.NoCell && (t.To == env.NoCell || t.To == t.From) || text == "" && t != env.NoCells {
		return fmt.Errorf("it touches %v", t)
	}
	if text != "" && !slices.Equal(words[1:], rowsFirst) && !slices.Equal(words[1:], columnsFirst) {
		return fmt.Errorf("its text %s does not name the cells %v", text, rowsFirst)
	}
	return nil
}

// checkPieces checks that pieces stand on cells that exist and that every move changes only what it touches.
func checkPieces(g *env.Game) error {
	const mark = 77
	var before []uint8
	var mover env.Player
	return eachPosition(g, 60, func(w *walk) error {
		list := w.state.Pieces([]uint8{mark})
		if len(list) != 1+g.Tensor.Cells() || list[0] != mark {
			return w.errorf("Pieces must append one entry for each of %d cells; got %v", g.Tensor.Cells(), list)
		}
		for cell, piece := range list[1:] {
			if int(piece) > len(g.Drawing.Pieces) || piece > 0 && !g.Drawing.Cells[cell] {
				return w.errorf("piece %d on cell %d", piece, cell)
			}
		}
		if status := w.game.Status(w.state); status == "" || strings.Contains(status, "\n") {
			return w.errorf("the status must be one line, and is %q", status)
		}
		after := list[1:]
		if n := len(w.moves); n > 0 {
			if err := checkChange(&g.Drawing, g.Drawing.ActionCells[w.moves[n-1]], mover, before, after); err != nil {
				return w.errorf("%v", err)
			}
		}
		before = slices.Clone(after)
		if !w.state.Done() {
			mover = w.state.Player()
		}
		return nil
	})
}

// checkChange compares the pieces before and after a move: it leaves a new piece on To, that of From where there is one
// and the mover's or nobody's, and changes no cell beside the two.
func checkChange(d *env.Drawing, t env.FromTo, mover env.Player, before, after []uint8) error {
	for cell := range after {
		if c := int32(cell); c != t.From && c != t.To && before[cell] != after[cell] {
			return fmt.Errorf("the last move changes cell %d, which it does not touch", cell)
		}
	}
	if t == env.NoCells {
		return nil
	}
	if after[t.To] == 0 || after[t.To] == before[t.To] {
		return errors.New("the last move puts no piece on its cell")
	}
	if p := d.Pieces[after[t.To]-1]; !p.Neutral && p.Player != mover {
		return fmt.Errorf("the last move puts or moves a piece, %s, that is the other player's", p.Name)
	}
	if t.From != env.NoCell && (after[t.To] != before[t.From] || after[t.From] != 0 && after[t.From] != before[t.From]) {
		return errors.New("the last move does not take its piece along")
	}
	return nil
}

// checkWonBy checks that the cells that won a game are shown at its end alone: each once, under a piece of the winner's, with
// the last move's among them, since before it the game went on.
func checkWonBy(g *env.Game) error {
	const mark = -7
	return eachPosition(g, 200, func(w *walk) error {
		cells := w.state.WinningCells([]int32{mark})
		if len(cells) == 0 || cells[0] != mark {
			return w.errorf("WonBy must append to dst; got %v", cells)
		}
		if cells = cells[1:]; len(cells) == 0 {
			return nil
		}
		goals, pieces := w.state.Goals(), w.state.Pieces(nil)
		if !w.state.Done() || goals[0] == goals[1] {
			return w.errorf("cells %v won, but nobody has", cells)
		}
		winner := env.First
		if goals[1] > goals[0] {
			winner = env.Second
		}
		for i, cell := range cells {
			if cell < 0 || int(cell) >= len(pieces) || slices.Contains(cells[:i], cell) {
				return w.errorf("cells %v won: %d is no cell, or there twice", cells, cell)
			}
			if k := pieces[cell]; k == 0 || g.Drawing.Pieces[k-1].Neutral || g.Drawing.Pieces[k-1].Player != winner {
				return w.errorf("cells %v won, but on %d the winner has no piece", cells, cell)
			}
		}
		if last := g.Drawing.ActionCells[w.moves[len(w.moves)-1]].To; !slices.Contains(cells, last) {
			return w.errorf("cells %v won without the last move's, %d", cells, last)
		}
		return nil
	})
}
