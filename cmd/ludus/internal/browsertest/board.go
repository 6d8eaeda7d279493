package browsertest

import "ludus/env"

// piecesScript reads the drawn board: the names of pieces, "" for nobody's, by the labels of their row and column.
const piecesScript = `(() => {
	const labels = [...document.querySelectorAll("#board .label")], found = {};
	const near = (e, name, at) => Math.abs(Number(e.getAttribute(name)) - at) < 0.01;
	const edge = Math.min(...labels.map((e) => Number(e.getAttribute("x")))); // row labels stand there
	for (const piece of document.querySelectorAll("#board .piece")) {
		const box = piece.getBBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
		const row = labels.find((e) => near(e, "x", edge) && near(e, "y", y));
		const column = labels.find((e) => !near(e, "x", edge) && near(e, "x", x));
		const name = /named-(\S+)/.exec(piece.getAttribute("class"));
		found[row.textContent + " " + column.textContent] = name ? name[1] : "";
	}
	return found;
})()`

// Pieces reads the drawn board in #board: the names of pieces, "" for nobody's, by the labels of their row and column.
func (b *Tab) Pieces() map[string]string {
	b.Helper()
	return Ask[map[string]string](b, piecesScript)
}

// PiecesOf is what Pieces has to find where the board shows state.
func PiecesOf(game *env.Game, state env.State) map[string]string {
	found := map[string]string{}
	for cell, kind := range state.Pieces(nil) {
		if kind == 0 {
			continue
		}
		row, column := labels(game, cell)
		piece := game.Drawing.Pieces[kind-1]
		if piece.Neutral {
			piece.Name = ""
		}
		found[row+" "+column] = piece.Name
	}
	return found
}

// labels are those of a cell's row and column.
func labels(game *env.Game, cell int) (row, column string) {
	return game.Drawing.Rows[cell/game.Tensor.W], game.Drawing.Columns[cell%game.Tensor.W]
}
