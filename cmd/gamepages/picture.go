package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/env"
)

// diagram is a picture of a position with further marks. board.js draws the same on web pages.
type diagram struct {
	diagrams.Diagram
	last  string   // name of the move that led here, whose cells are shaded; "" for none
	label []string // texts to write on cells, by cell; nil: none
}

// picture draws a diagram of a game. Lengths are in cells.
type picture struct {
	drawing
	game          *env.Game
	board         *env.Drawing // of game
	rows, columns []string     // labels; "" for those without cells
	height        int          // number of rows that have cells
	lowest        int          // lowest row that has cells
	margin, top   float64      // space left of the board, for row labels, and above it
}

// cellPixels is the width of a cell in pixels.
const cellPixels = 44

// drawBoard returns an SVG file with a diagram. Screen readers read the title.
func drawBoard(game *env.Game, title string, d *diagram) string {
	p := &picture{game: game, board: &game.Drawing, margin: 0.55, top: 0.15}
	p.rows, p.columns = game.AxisLabels()
	p.lowest = slices.IndexFunc(p.rows, func(name string) bool { return name != "" })
	for _, name := range p.rows {
		if name != "" {
			p.height++
		}
	}
	right, style := 0.2, boardStyle
	if p.board.Hexagons {
		p.margin, p.top, right = 0.9, 0.5, 0.5
		style += ".label{font-size:.46px}\n" // cells are drawn small, because rows are shifted
	}
	p.draw(d)
	width := p.margin + float64(len(p.columns)) + p.shift(p.height-1) + right
	return p.file(title, width, p.top+float64(p.height)+p.margin+0.1, cellPixels, style)
}

// boardStyle is the style sheet of boards. A class named after a piece, such as x or red, sets the colours of a piece's
// surface, of its edge, and of marks on cells, as in board.css.
const boardStyle = `.cell{fill:#eef0f4;stroke:#808b9c;stroke-width:.016}.hole{fill:#eef0f4}
.last{fill:#f4cf4f;fill-opacity:.45;stroke:#a87900;stroke-width:.04}.piece{stroke-width:.05}.edge{stroke-width:.02}
text{fill:var(--strong);text-anchor:middle;dominant-baseline:central}.label{font:.3px sans-serif;fill:var(--faint)}
.text{font:600 .3px sans-serif;paint-order:stroke;stroke:var(--page);stroke-width:.07;stroke-linejoin:round}
.on{fill:var(--fill);stroke:var(--edge)}.line{stroke:var(--fill);fill:none;stroke-linecap:round}
.ring{stroke:var(--mark);fill:none;stroke-width:.07}.piece.stroke{stroke-width:.17}
.won{stroke:var(--strong);stroke-width:.06}.ground{stroke:var(--page);stroke-width:.14}.won,.ground{fill:none;stroke-linecap:round}
.open{stroke-dasharray:.12 .14}
.x{--fill:#1f5fbf;--edge:#123a76;--mark:#1f5fbf}.o{--fill:#d9640f;--edge:#7c3606;--mark:#d9640f}
.white{--fill:#fbfbf8;--edge:#4a4f58;--mark:#2f78dd}.black{--fill:#23272e;--edge:#9aa3b2;--mark:#2f78dd}
.red{--fill:#d2373c;--edge:#7c1418;--mark:#d2373c}.yellow{--fill:#f0c419;--edge:#7a6100;--mark:#f0c419}
.blue{--fill:#2f6fd0;--edge:#123a76;--mark:#2f6fd0}
@media(prefers-color-scheme:dark){.cell,.hole{fill:#262d38}.cell{stroke:#657286}.last{fill:#b99a3c;stroke:#b99a3c}
.x{--fill:#6ea8fe;--edge:#b9d5ff;--mark:#6ea8fe}.o{--fill:#ff9b57;--edge:#ffd3b3;--mark:#ff9b57}.white{--mark:#3f86e8}
.black{--fill:#05070a;--mark:#3f86e8}.red{--edge:#ffb4ae}.yellow{--edge:#fff0b3}.blue{--edge:#b9d5ff}}
`

// colour returns the style class of a piece's colours: its name if that is a colour, otherwise its player's class.
func colour(piece env.Piece) string {
	switch {
	case strings.Contains(boardStyle, "."+piece.Name+"{--fill"):
		return piece.Name
	case piece.Neutral:
		return "white"
	}
	return "xo"[piece.Player : piece.Player+1]
}

// side returns the style class of a player's colours.
func (p *picture) side(player int) string {
	own := func(piece env.Piece) bool { return !piece.Neutral && int(piece.Player) == player }
	return colour(p.board.Pieces[slices.IndexFunc(p.board.Pieces, own)])
}

// cellsOf returns the cells of a move of a game; env.NoCells for the name "". The name must be one of the game's.
func cellsOf(game *env.Game, move string) env.FromTo {
	if move == "" {
		return env.NoCells
	}
	a, err := game.ParseAction(move)
	if err != nil {
		panic(err)
	}
	return game.Drawing.ActionCells[a]
}

// draw draws a diagram: the board, the last move, the pieces, and marks above them.
func (p *picture) draw(d *diagram) {
	p.drawCells()
	last := cellsOf(p.game, d.last)
	for _, cell := range []int32{last.From, last.To} {
		if cell != env.NoCell {
			p.square(cell, "last", 0.45)
		}
	}
	for cell, kind := range d.Pieces {
		if kind > '0' {
			p.drawPiece(p.board.Pieces[kind-'1'], int32(cell))
		}
	}
	mover := p.side(d.Player)
	if played := cellsOf(p.game, d.Move); played.To != env.NoCell {
		if played.From != env.NoCell {
			p.arrow(played, mover)
		}
		p.square(played.To, mover+" ring", 0.45)
	}
	for cell, text := range d.label {
		if text != "" {
			p.text("text", p.x(int32(cell)), p.y(int32(cell)), text)
		}
	}
	p.rings(d.Pieces, d.WonBy)
}

// x and y return the coordinates of a cell's centre.
func (p *picture) x(cell int32) float64 {
	width := len(p.columns)
	return p.margin + float64(int(cell)%width) + p.shift(int(cell)/width) + 0.5
}

func (p *picture) y(cell int32) float64 {
	return p.top + float64(p.lowest+p.height-int(cell)/len(p.columns)) - 0.5
}

// shift returns by how much a row is drawn to the right of the lowest row.
func (p *picture) shift(row int) float64 {
	if p.board.Hexagons {
		return float64(row) / 2
	}
	return 0
}

// hexagon holds the corners of a hexagonal cell of width 1, relative to its centre. The distance of rows is 1.
var hexagon = [6][2]float64{{0, -2. / 3}, {0.5, -1. / 3}, {0.5, 1. / 3}, {0, 2. / 3}, {-0.5, 1. / 3}, {-0.5, -1. / 3}}

// square draws a square (on hexagonal cells a hexagon) around a cell's centre. half is half of its width.
func (p *picture) square(cell int32, class string, half float64) {
	x, y := p.x(cell), p.y(cell)
	if !p.board.Hexagons {
		p.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%[4]s" rx=".08"/>`, class, x-half, y-half, 2*half)
		return
	}
	var points []float64
	for _, c := range hexagon {
		points = append(points, x+2*half*c[0], y+2*half*c[1])
	}
	p.shape("polygon", points, fmt.Sprintf(`class="%s"`, class))
}

// drawCells draws the cells and the labels of rows and columns.
func (p *picture) drawCells() {
	below := p.margin / 2
	if p.board.Hexagons {
		p.drawEdges()
		below += 0.1
	}
	for cell, exists := range p.board.Cells {
		if exists {
			p.square(int32(cell), "cell", 0.48)
		}
	}
	for row, name := range p.rows {
		p.text("label", p.x(int32(row*len(p.columns)))-(1+p.margin)/2, p.y(int32(row*len(p.columns))), name)
	}
	for column, name := range p.columns {
		p.text("label", p.x(int32(column)), p.top+float64(p.height)+below, name)
	}
}

// drawEdges draws the edges of a board of hexagons in the colours of the players who connect them.
func (p *picture) drawEdges() {
	// edge draws a player's edge of the board: a band along the cells cells(0), cells(1), ... Each cell touches it with
	// two corners, given as indices in hexagon. (dx, dy) leads from the inner side of the band to the outer.
	edge := func(player int, corners [2]int, dx, dy float64, cells func(i int) int) {
		var inner, outer []float64 // outer runs backwards, so that both together go around the band
		for i := range p.columns {
			cell := int32(cells(i))
			for _, corner := range corners {
				x, y := p.x(cell)+hexagon[corner][0], p.y(cell)+hexagon[corner][1]
				inner, outer = append(inner, x, y), append([]float64{x + dx, y + dy}, outer...)
			}
		}
		p.shape("polygon", append(inner, outer...), fmt.Sprintf(`class="edge %s on"`, p.side(player)))
	}
	width := len(p.columns)
	edge(0, [2]int{4, 3}, 0, 0.14, func(i int) int { return i })
	edge(0, [2]int{0, 1}, 0, -0.14, func(i int) int { return (width-1)*width + i })
	edge(1, [2]int{4, 5}, -0.14, 0, func(i int) int { return i * width })
	edge(1, [2]int{2, 1}, 0.14, 0, func(i int) int { return i*width + width - 1 })
}

// drawPiece draws a cross or a ring for pieces named x and o, a square for a neutral piece and otherwise a disc, with a hole
// for the second player.
func (p *picture) drawPiece(piece env.Piece, cell int32) {
	x, y, class := p.x(cell), p.y(cell), colour(piece)
	switch {
	case piece.Name == "x":
		const arm = 0.22
		p.add(`<path class="piece %s line stroke" d="M%s %sL%s %sM%[2]s %[5]sL%[4]s %[3]s"/>`, class, x-arm, y-arm, x+arm, y+arm)
	case piece.Name == "o":
		p.add(`<circle class="piece %s line stroke" cx="%s" cy="%s" r=".24"/>`, class, x, y)
	case piece.Neutral:
		p.add(`<rect class="piece %s on" x="%s" y="%s" width=".54" height=".54" rx=".08"/>`, class, x-0.27, y-0.27)
	default:
		p.add(`<circle class="piece %s on" cx="%s" cy="%s" r=".34"/>`, class, x, y)
		if piece.Player == env.Second && piece.Name == "black" {
			p.add(`<circle cx="%s" cy="%s" r=".13" fill="#9aa3b2"/>`, x, y)
		} else if piece.Player == env.Second {
			p.add(`<circle class="hole" cx="%s" cy="%s" r=".13"/>`, x, y)
		}
	}
}

// arrow draws an arrow from one cell's piece to the centre of another cell.
func (p *picture) arrow(m env.FromTo, class string) {
	const width = 0.08
	x, y := p.x(m.From), p.y(m.From)
	dx, dy := p.x(m.To)-x, p.y(m.To)-y
	length, head := math.Hypot(dx, dy), 0.1+width
	dx, dy = dx/length, dy/length
	tip, half, wing := length-0.12, width/2, 0.6*head
	var points []float64
	// The corners c of the arrow: c[0] is the distance along it from the first cell's centre, c[1] the one to its side.
	for _, c := range [][2]float64{{0.3, half}, {tip - head, half}, {tip - head, wing}, {tip, 0}, {tip - head, -wing},
		{tip - head, -half}, {0.3, -half}} {
		points = append(points, x+dx*c[0]-dy*c[1], y+dy*c[0]+dx*c[1])
	}
	p.shape("polygon", points, fmt.Sprintf(`class="%s on" stroke-width=".03" stroke-linejoin="round"`, class))
}

// rings draws a ring around each cell that won the game, dashed if the cell is empty, and lines between them: a closed
// line, or with OpenLine one from the first cell to the last. A wider ground in the page's colour comes first.
func (p *picture) rings(pieces string, cells []int32) {
	const radius = 0.41
	for _, class := range []string{"ground", "won"} {
		for i, cell := range cells {
			x, y, ring := p.x(cell), p.y(cell), class
			if class == "won" && pieces[cell] == '0' {
				ring += " open"
			}
			p.add(`<circle class="%s" cx="%s" cy="%s" r=".41"/>`, ring, x, y)
			if len(cells) == 1 || p.board.OpenLine && i+1 == len(cells) {
				continue
			}
			next := cells[(i+1)%len(cells)]
			dx, dy := p.x(next)-x, p.y(next)-y
			part := radius / math.Hypot(dx, dy)
			p.add(`<path class="%s" d="M%s %sL%s %s"/>`, class, x+dx*part, y+dy*part, p.x(next)-dx*part, p.y(next)-dy*part)
		}
	}
}
