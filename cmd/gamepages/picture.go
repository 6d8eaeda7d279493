package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
)

// diagram says what to draw of a position. Pages draw the same in board.js.
type diagram struct {
	pieces string  // see diagrams.Pieces
	player int     // whose colours arrows and rings have
	played string  // the name of a move to mark; "" for none
	last   string  // likewise, the move that led here
	wonBy  []int32 // cells to ring
	moves  []weighted
	label  map[int32]string // texts on cells
}

// weighted is a move to draw as an arrow or as the shade of a cell; weight is its share of the greatest one, in (0, 1].
type weighted struct {
	move   string
	weight float64
}

// picture draws diagrams of one game, side by side, as an SVG file.
type picture struct {
	game          *env.Game
	*env.Drawing           // of game
	rows, columns []string // labels; "" without cells
	width, height int      // height: of the rows that have cells
	lowest        int      // the first of these
	margin, top   float64  // in cells
	b             strings.Builder
	colours       []string // used so far
}

// unit is the size of a cell in pixels.
const unit = 44

// drawSVG returns an SVG file of the diagrams of a game. It has a background of its own, so it is readable on every page.
func drawSVG(game *env.Game, title string, diagrams ...diagram) string {
	named := func(name string) bool { return name != "" }
	p := &picture{game: game, Drawing: &game.Drawing, width: game.Tensor.W, margin: 0.55, top: 0.15}
	p.rows, p.columns = game.AxisLabels()
	p.lowest = slices.IndexFunc(p.rows, named)
	for _, name := range p.rows {
		if named(name) {
			p.height++
		}
	}
	right := 0.2
	if p.Hexagons {
		p.margin, p.top, right = 0.9, 0.5, 0.5
	}
	wide, high := p.margin+float64(p.width)+p.shift(p.height-1)+right, p.top+float64(p.height)+p.margin+0.1
	for i, one := range diagrams {
		fmt.Fprintf(&p.b, "<g transform=\"translate(%s 0)\">", num(float64(i)*wide))
		p.draw(one)
		p.b.WriteString("</g>\n")
	}
	style := styleOf(p.colours) + boardStyle
	if p.Hexagons { // cells are small, because rows are shifted
		style += ".label{font-size:.46px}\n"
	}
	return svgFile(title, wide*float64(len(diagrams)), high, unit, style, p.b.String())
}

// svgFile wraps drawn elements, whose size is in units of the given number of pixels.
func svgFile(title string, wide, high, pixels float64, style, content string) string {
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\" width=\"%.0f\" height=\"%.0f\" role=\"img\">\n"+
		"<title>%s</title>\n<style>\n%s</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\" rx=\"%s\"/>\n%s</svg>\n",
		num(wide), num(high), wide*pixels, high*pixels, html.EscapeString(title), style, num(6/pixels), content)
}

const boardStyle = `.cell{stroke-width:.016}.last{fill-opacity:.45;stroke-width:.04}.piece{stroke-width:.05}.edge{stroke-width:.02}
.label{font:.3px sans-serif;text-anchor:middle;dominant-baseline:central}
.text{font:600 .3px sans-serif;text-anchor:middle;dominant-baseline:central;paint-order:stroke;stroke-width:.07;stroke-linejoin:round}
.line{fill:none;stroke-linecap:round}.ring{fill:none;stroke-width:.07}
.piece.stroke{fill:none;stroke-width:.17;stroke-linecap:round}
.won{fill:none;stroke-width:.06;stroke-linecap:round}.open{stroke-dasharray:.12 .14}.ground{fill:none;stroke-width:.14;stroke-linecap:round}
`

// palette has the colours of base.css and board.css, light and dark, of elements and of pieces by name.
var palette = []struct{ selector, property, light, dark string }{
	{".page", "fill", "#ffffff", "#1b2028"},
	{".cell,.hole", "fill", "#eef0f4", "#262d38"},
	{".cell", "stroke", "#808b9c", "#657286"},
	{".label,.faint", "fill", "#566072", "#a2adbd"},
	{".text,.strong", "fill", "#1c2330", "#e4e8ef"},
	{".won", "stroke", "#1c2330", "#e4e8ef"},
	{".text,.ground", "stroke", "#ffffff", "#1b2028"},
	{".last", "fill", "#f4cf4f", "#b99a3c"},
	{".last", "stroke", "#a87900", "#b99a3c"},
}

// pieceColours has the colours of pieces by name: surface, edge, and marks on cells, each light and dark.
var pieceColours = map[string][3][2]string{
	"x":      {{"#1f5fbf", "#6ea8fe"}, {"#123a76", "#b9d5ff"}, {"#1f5fbf", "#6ea8fe"}},
	"o":      {{"#d9640f", "#ff9b57"}, {"#7c3606", "#ffd3b3"}, {"#d9640f", "#ff9b57"}},
	"white":  {{"#fbfbf8", "#fbfbf8"}, {"#4a4f58", "#4a4f58"}, {"#2f78dd", "#3f86e8"}},
	"black":  {{"#23272e", "#05070a"}, {"#9aa3b2", "#9aa3b2"}, {"#2f78dd", "#3f86e8"}},
	"red":    {{"#d2373c", "#d2373c"}, {"#7c1418", "#ffb4ae"}, {"#d2373c", "#d2373c"}},
	"yellow": {{"#f0c419", "#f0c419"}, {"#7a6100", "#fff0b3"}, {"#f0c419", "#f0c419"}},
	"blue":   {{"#2f6fd0", "#2f6fd0"}, {"#123a76", "#b9d5ff"}, {"#2f6fd0", "#2f6fd0"}},
}

// styleOf returns the style sheet of all elements and of pieces of the named colours.
func styleOf(names []string) string {
	var light, dark strings.Builder
	add := func(selector, property string, colours [2]string) {
		fmt.Fprintf(&light, "%s{%s:%s}", selector, property, colours[0])
		if colours[1] != colours[0] {
			fmt.Fprintf(&dark, "%s{%s:%s}", selector, property, colours[1])
		}
	}
	for _, c := range palette {
		add(c.selector, c.property, [2]string{c.light, c.dark})
	}
	for _, name := range names {
		c := pieceColours[name]
		add("."+name+".on", "fill", c[0])
		add("."+name+".on", "stroke", c[1])
		add("."+name+".line", "stroke", c[0])
		add("."+name+".out", "stroke", c[1])
		add("."+name+".heat", "fill", c[2])
		add("."+name+".ring", "stroke", c[2])
	}
	return light.String() + "\n@media(prefers-color-scheme:dark){" + dark.String() + "}\n"
}

// colour returns the class of a piece's colours.
func (p *picture) colour(piece env.Piece) string {
	name := piece.Name
	if _, known := pieceColours[name]; !known {
		name = []string{"x", "o"}[piece.Player]
		if piece.Neutral {
			name = "white"
		}
	}
	if !slices.Contains(p.colours, name) {
		p.colours = append(p.colours, name)
	}
	return name
}

// side returns the colours of a player.
func (p *picture) side(player int) string {
	i := slices.IndexFunc(p.Pieces, func(piece env.Piece) bool { return !piece.Neutral && int(piece.Player) == player })
	return p.colour(p.Pieces[max(0, i)])
}

// cellsOf returns the cells of the named move; env.NoCells for "".
func (p *picture) cellsOf(move string) env.FromTo {
	if move == "" {
		return env.NoCells
	}
	a, err := p.game.ParseAction(move)
	if err != nil {
		panic(err) // names come from the game
	}
	return p.ActionCells[a]
}

func (p *picture) draw(d diagram) {
	p.drawGrid()
	m := p.cellsOf(d.last)
	for _, cell := range []int32{m.From, m.To} {
		if cell >= 0 {
			p.square(cell, "last", 0.45, "")
		}
	}
	mover := p.side(d.player)
	for _, m := range d.moves {
		if cells := p.cellsOf(m.move); cells.From < 0 && cells.To >= 0 {
			p.square(cells.To, mover+" heat", 0.48, fmt.Sprintf(" opacity=\"%s\"", num(0.08+0.62*m.weight)))
		}
	}
	for cell, kind := range d.pieces {
		if kind > '0' {
			p.piece(p.Pieces[kind-'1'], int32(cell))
		}
	}
	for _, m := range slices.Backward(d.moves) {
		if cells := p.cellsOf(m.move); cells.From >= 0 {
			p.arrow(cells, 0.04+0.08*m.weight, mover)
		}
	}
	if m := p.cellsOf(d.played); m.To >= 0 {
		if m.From >= 0 {
			p.arrow(m, 0.08, mover)
		}
		p.square(m.To, mover+" ring", 0.45, "")
	}
	for cell := range int32(len(p.Cells)) {
		if text := d.label[cell]; text != "" {
			p.text("text", p.x(cell), p.y(cell), text)
		}
	}
	p.rings(d.pieces, d.wonBy)
}

// x and y return the centre of a cell.
func (p *picture) x(cell int32) float64 {
	return p.margin + float64(int(cell)%p.width) + p.shift(int(cell)/p.width) + 0.5
}

func (p *picture) y(cell int32) float64 {
	return p.top + float64(p.lowest+p.height-int(cell)/p.width) - 0.5
}

// shift returns how far a row is right of the lowest one.
func (p *picture) shift(row int) float64 {
	if p.Hexagons {
		return float64(row) / 2
	}
	return 0
}

// hexagon has the corners of a hexagonal cell of width 1, from its centre. Rows are one apart.
var hexagon = [6][2]float64{{0, -2. / 3}, {0.5, -1. / 3}, {0.5, 1. / 3}, {0, 2. / 3}, {-0.5, 1. / 3}, {-0.5, -1. / 3}}

// square draws a square, or a hexagon if the cells are hexagons, on a cell.
func (p *picture) square(cell int32, class string, half float64, attributes string) {
	x, y := p.x(cell), p.y(cell)
	if p.Hexagons {
		var points []float64
		for _, c := range hexagon {
			points = append(points, x+2*half*c[0], y+2*half*c[1])
		}
		p.polygon(class, points, attributes)
		return
	}
	p.add("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%[4]s\" rx=\".08\"%s/>", class, x-half, y-half, 2*half, attributes)
}

func (p *picture) drawGrid() {
	if p.Hexagons {
		p.drawEdges()
	}
	for cell, exists := range p.Cells {
		if exists {
			p.square(int32(cell), "cell", 0.48, "")
		}
	}
	for row, name := range p.rows { // text leaves out empty names
		cell := int32(row * p.width)
		p.text("label", p.x(cell)-(1+p.margin)/2, p.y(cell), name)
	}
	for column, name := range p.columns {
		below := p.margin / 2
		if p.Hexagons {
			below += 0.1
		}
		p.text("label", p.x(int32(column)), p.top+float64(p.height)+below, name)
	}
}

// drawEdges draws the edges of a board of hexagons in the colours of the players who connect them.
func (p *picture) drawEdges() {
	edge := func(player int, ends [2]int, dx, dy float64, cells func(i int) int) {
		var inner, outer []float64
		for i := range p.width {
			cell := int32(cells(i))
			for _, end := range ends {
				x, y := p.x(cell)+hexagon[end][0], p.y(cell)+hexagon[end][1]
				inner, outer = append(inner, x, y), append([]float64{x + dx, y + dy}, outer...)
			}
		}
		p.polygon("edge "+p.side(player)+" on", append(inner, outer...), "")
	}
	last := p.width - 1
	edge(0, [2]int{4, 3}, 0, 0.14, func(i int) int { return i })
	edge(0, [2]int{0, 1}, 0, -0.14, func(i int) int { return last*p.width + i })
	edge(1, [2]int{4, 5}, -0.14, 0, func(i int) int { return i * p.width })
	edge(1, [2]int{2, 1}, 0.14, 0, func(i int) int { return i*p.width + last })
}

// piece draws a cross or a ring for pieces named x and o, a square for a neutral piece and otherwise a disc, with a hole for
// the second player.
func (p *picture) piece(piece env.Piece, cell int32) {
	x, y, colour := p.x(cell), p.y(cell), p.colour(piece)
	switch {
	case piece.Name == "x":
		const arm = 0.22
		p.add("<path class=\"piece %s line stroke\" d=\"M%s %sL%s %sM%[2]s %[5]sL%[4]s %[3]s\"/>", colour, x-arm, y-arm, x+arm, y+arm)
		return
	case piece.Name == "o":
		p.add("<circle class=\"piece %s line stroke\" cx=\"%s\" cy=\"%s\" r=\".24\"/>", colour, x, y)
		return
	case piece.Neutral:
		p.add("<rect class=\"piece %s on\" x=\"%s\" y=\"%s\" width=\".54\" height=\".54\" rx=\".08\"/>", colour, x-0.27, y-0.27)
		return
	}
	p.add("<circle class=\"piece %s on\" cx=\"%s\" cy=\"%s\" r=\".34\"/>", colour, x, y)
	switch {
	case piece.Player == env.Second && piece.Name == "black":
		p.add("<circle cx=\"%s\" cy=\"%s\" r=\".13\" fill=\"#9aa3b2\"/>", x, y)
	case piece.Player == env.Second:
		p.add("<circle class=\"hole\" cx=\"%s\" cy=\"%s\" r=\".13\"/>", x, y)
	}
}

// arrow draws an arrow from one cell's piece to the centre of another cell.
func (p *picture) arrow(m env.FromTo, width float64, colour string) {
	x, y := p.x(m.From), p.y(m.From)
	dx, dy := p.x(m.To)-x, p.y(m.To)-y
	length, head := math.Hypot(dx, dy), 0.1+width
	dx, dy = dx/length, dy/length
	ex, ey := p.x(m.To)-dx*(0.12+head), p.y(m.To)-dy*(0.12+head)
	path := fmt.Sprintf("M%s %sL%s %s", num(x+dx*0.3), num(y+dy*0.3), num(ex), num(ey))
	p.add("<path class=\"%s line out\" stroke-width=\"%s\" d=\"%s\"/>", colour, width+0.03, path)
	p.add("<path class=\"%s line\" stroke-width=\"%s\" d=\"%s\"/>", colour, width, path)
	points := []float64{ex + dx*head, ey + dy*head, ex - dy*head*0.6, ey + dx*head*0.6, ex + dy*head*0.6, ey - dx*head*0.6}
	p.polygon(colour+" on", points, " stroke-width=\".025\" stroke-linejoin=\"round\"")
}

// rings draws a ring around each cell that won the game, dashed if the cell is empty, and lines between them. Cells that are
// all empty, which no game ends with, get no lines.
func (p *picture) rings(pieces string, cells []int32) {
	const round = 0.41
	occupied := slices.ContainsFunc(cells, func(cell int32) bool { return pieces[cell] != '0' })
	for _, class := range []string{"ground", "won"} {
		for i, cell := range cells {
			x, y := p.x(cell), p.y(cell)
			ring := class
			if class == "won" && pieces[cell] == '0' {
				ring += " open"
			}
			p.add("<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\".41\"/>", ring, x, y)
			if !occupied || len(cells) == 1 || p.OpenLine && i+1 == len(cells) {
				continue
			}
			next := cells[(i+1)%len(cells)]
			dx, dy := p.x(next)-x, p.y(next)-y
			part := round / math.Hypot(dx, dy)
			p.add("<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", class,
				x+dx*part, y+dy*part, p.x(next)-dx*part, p.y(next)-dy*part)
		}
	}
}

func (p *picture) text(class string, x, y float64, text string) {
	if text != "" {
		p.add("<text class=\"%s\" x=\"%s\" y=\"%s\">%s</text>", class, x, y, html.EscapeString(text))
	}
}

func (p *picture) polygon(class string, points []float64, attributes string) {
	var list []string
	for i := 0; i < len(points); i += 2 {
		list = append(list, num(points[i])+","+num(points[i+1]))
	}
	p.add("<polygon class=\"%s\" points=\"%s\"%s/>", class, strings.Join(list, " "), attributes)
}

// add appends an element; numbers are formatted by num.
func (p *picture) add(format string, args ...any) {
	for i, arg := range args {
		if x, ok := arg.(float64); ok {
			args[i] = num(x)
		}
	}
	fmt.Fprintf(&p.b, format+"\n", args...)
}

// num formats a number with at most two decimals.
func num(x float64) string {
	return strconv.FormatFloat(math.Round(100*x)/100+0, 'f', -1, 64) // + 0 turns -0 into 0
}
