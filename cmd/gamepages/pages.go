package main

import "cmp"

// page is a page about a game, or about a game and its smaller boards.
type page struct {
	name    string // of the file, and of the game whose rules are shown
	title   string
	more    []string // other games on the page
	study   string   // the game of the sample game, if another
	first   string   // the game of first moves, if another than that of the sample game
	players [2]string
	figures []figure // pictures beside those of board.Diagrams
	known   string   // Markdown; what is known beside the tables
}

// figure is a position to explain a rule: the moves that lead to it, and cells to ring.
type figure struct {
	caption string
	moves   string
	ring    string
}

// names returns the games of the page.
func (p *page) names() []string { return append([]string{p.name}, p.more...) }

// studied returns the game of the sample game, firsts that of the first moves.
func (p *page) studied() string { return cmp.Or(p.study, p.name) }
func (p *page) firsts() string  { return cmp.Or(p.first, p.studied()) }

// beginner plays the other side where two perfect players would make a dull sample game.
const beginner = "mcts:1000"

var pages = []page{
	{
		name: "breakthrough-6x6", title: "Breakthrough on 6x6",
		known: `Breakthrough is by Dan Troyka (2000). The board of 6x6 is not solved: neither by ludus nor, as far as we know, by anybody
else. On small boards it is often bad to move first: black wins all boards of 4 rows, and those of 5 rows and up to 5 columns,
whatever white begins with. With 2 or 3 columns white wins on 6 rows, and black on 7.`,
	},
	{
		name: "quad-7x7", title: "Quad on 7x7",
		figures: []figure{
			{"A tilted square: c2, b4, d5 and e3. Each side goes two cells one way and one cell the other. x wins 100 to 0.",
				"c2; c3; b4; c4; d5; d3; e3", "c2 b4 d5 e3"},
			{"o threatens to complete b3, b5, d5 and d3. x blocks d3 with a white and moves again.",
				"c2; b3; e2; b5; f6; d5; block d3", "d3"},
		},
		known: `Quad on 7x7 is not solved. Without the whites, x wins whatever it begins with. Small boards with whites are
solved: on 5x5 with 6 quads and 1 white each x gets 90, with 4 quads and 1 or 2 whites each both get 50.`,
	},
	{
		name: "quad-5x5", title: "Quad on 5x5",
		figures: []figure{
			{"A tilted square: b1, d2, c4 and a3. Each side goes two cells one way and one cell the other. x wins 100 to 0.",
				"b1; b2; d2; c3; c4; d4; a3", "b1 a3 c4 d2"},
			{"Two threats at once: b3 completes one square of x, d4 another. o can mark only one of them.",
				"d3; e3; c2; d1; c3; d2; c4", "b3 d4"},
		},
		known: `Quad on 5x5 is solved: x wins if it begins with one of the nine cells in the middle. With any other first mark both
get 50. The solver needs about a second: ` + "`ludus solve quad-5x5`" + `. Playing these wins is harder, because most later
positions have few good moves.`,
	},
	{
		name: "golden-rectangle", title: "Golden Rectangle", players: [2]string{"", beginner},
		known: `Golden Rectangle on 7x8 is not solved. On smaller boards of columns x rows yellow wins 4x4 to 4x8, 5x4,
5x6, 6x4, 6x5 and 7x4, whatever red begins with. Red wins 5x5 and 5x7 if it does not begin in the middle column.`,
	},
	{
		name: "free-for-all-2p", title: "Free-For-All", players: [2]string{"", beginner},
		figures: []figure{{"Red's piece on a4 guards b3, b4 and b5: it captures what comes there, and nothing can capture it.",
			"a4-c3", "b3 b4 b5"}},
		known: `Free-For-All with 30 turns is not solved. With 12 turns neither side can force a lead in captures: every first move draws. On the
smaller board ` + "`free-for-all(size=5,steps=14)`" + `, whose inner cells are 3x3, blue wins.`,
	},
	{
		name: "connect-four", title: "Connect Four", players: [2]string{"", beginner},
		known: `Connect Four is solved (James Allen and Victor Allis, independently, 1988): red wins if it begins in the middle column d,
columns c and e draw, and the other four lose. The scores below are only the agent's estimates of this: ludus's solver needs too
long for the empty board.`,
	},
	{
		name: "tic-tac-toe", title: "Tic-tac-toe", players: [2]string{"", "random"},
		known: `Tic-tac-toe is a draw, whatever x begins with.`,
	},
	{
		name: "gomoku", title: "Gomoku on 9x9", players: [2]string{"", beginner},
		known: `On the large board of 15x15 the first player wins if there are no extra rules (Allis 1994). The small board is not solved
here. Five or more in a line win; other rule sets accept exactly five only.`,
	},
	{
		name: "othello", title: "Othello on 8x8 and 6x6", more: []string{"othello-6x6"}, study: "othello-6x6",
		known: `On 8x8 perfect play is a draw (Hiroki Takizawa, *Othello is solved*, 2023). On 6x6 white wins by 20 discs to 16 (Joel Feinstein,
1993), and on 4x4 white wins, too. All four first moves of black are alike.`,
	},
	{
		name: "hex", title: "Hex on 11x11, 7x7 and 5x5", more: []string{"hex-7x7", "hex-5x5"}, study: "hex-7x7",
		first: "hex(size=4,swap=0)",
		known: `Without swapping, the first player wins Hex on every board (John Nash, 1949): an extra piece never hurts, so the second player
cannot have a winning strategy that the first could not use. With swapping, the second player wins. Every first move is solved on
boards of up to 9x9 (Pawlewicz and Hayward 2013). ludus's solver takes moments up to 4x4: red wins 3x3 by 5 of 9 first moves, and
4x4 by 4 of 16: the short diagonal.`,
	},
}
