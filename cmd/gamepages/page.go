package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/cmd/internal/diagrams"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/ratings"
)

// writer writes one page.
type writer struct {
	*page
	game    *env.Game
	study   *study
	studied *env.Game
	firsts  *env.Game
	files   map[string]string
	b       strings.Builder
}

// renderPage adds a page and its pictures to files.
func renderPage(files map[string]string, data string, p *page) error {
	s, err := readStudy(data, p)
	if err != nil {
		return err
	}
	w := &writer{page: p, study: s, files: files}
	if w.game, err = games.New(p.name); err != nil {
		return err
	}
	if w.studied, err = games.New(p.studied()); err != nil {
		return err
	}
	if w.firsts, err = games.New(p.firsts()); err != nil {
		return err
	}
	w.line(generated)
	w.line("# %s\n", p.title)
	w.line("[All games](README.md) · [ludus](../../README.md)\n")
	if err := w.writeNames(); err != nil {
		return err
	}
	if err := w.writeRules(); err != nil {
		return err
	}
	w.writeKnown()
	w.writeCards()
	if err := w.writeSample(); err != nil {
		return err
	}
	files[pagesFolder+"/"+p.name+".md"] = w.b.String()
	return nil
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// picture adds a picture to the files and returns the HTML that shows it.
func (w *writer) picture(game *env.Game, name, alt string, pixels int, diagrams ...diagram) string {
	name = w.name + "-" + name + ".svg"
	w.files[pictureFolder+"/"+name] = drawSVG(game, alt, diagrams...)
	wide := pixels * max(1, len(diagrams))
	return fmt.Sprintf("<img src=\"pictures/%s\" width=\"%d\" alt=\"%s\">", name, wide, html.EscapeString(alt))
}

// width returns the width of a picture of the studied or main game in a row of pictures.
func width(game *env.Game) int {
	columns := game.Tensor.W
	if game.Drawing.Hexagons {
		columns += columns / 2
	}
	return min(250, 40+30*columns)
}

// shown is a picture with a caption in a table.
type shown struct {
	picture, caption string
	columns          int
}

// cells writes pictures in rows of three columns.
func (w *writer) cells(list []shown) {
	const inRow = 3
	w.line("<table>\n<tr>")
	used := 0
	for _, s := range list {
		if used+s.columns > inRow {
			w.line("</tr>\n<tr>")
			used = 0
		}
		used += s.columns
		w.line("<td align=\"center\" valign=\"top\" width=\"%d%%\" colspan=\"%d\">%s<br>%s</td>",
			100*s.columns/inRow, s.columns, s.picture, s.caption)
	}
	w.line("</tr>\n</table>\n")
}

// writeNames writes what to call the game and how to play it.
func (w *writer) writeNames() error {
	names := w.names()
	for i, name := range names {
		names[i] = "`" + name + "`"
	}
	w.line("%s: %s. Players are %s, who moves first, and %s. A game lasts at most %d plies (moves of one player).\n",
		strings.Join(names, ", "), w.game.Summary, w.game.Players[0], w.game.Players[1], w.game.MaxPlies)
	first := max(0, slices.IndexFunc(w.names(), func(name string) bool { return zoo.CardOf(name) != nil }))
	w.line("    go run ./cmd/ludus play %-18s in the terminal", w.names()[first])
	w.line("    go run ./cmd/ludus serve --open            in the browser\n")
	return nil
}

// writeRules writes the program's rules, and diagrams of every kind of move and of won games.
func (w *writer) writeRules() error {
	w.line("## Rules\n")
	for paragraph := range strings.SplitSeq(w.game.Rules, "\n") {
		w.line("%s\n", paragraph)
	}
	w.line("**Tip:** %s\n", w.game.Strategy)
	pixels := width(w.game)
	start := diagram{pieces: diagrams.Pieces(w.game.NewState())}
	alt := w.title + ": the board at the start"
	list := []shown{{w.picture(w.game, "start", alt, pixels, start), "The start", 1}}
	for i, d := range diagrams.Of(w.game) {
		name := fmt.Sprintf("rules-%d", i+1)
		drawn := []diagram{{pieces: d.Pieces, player: d.Player, played: d.Move, wonBy: d.WonBy}}
		if d.After != "" {
			drawn = append(drawn, diagram{pieces: d.After, player: d.Player, last: d.Move})
		}
		caption := capital(d.Caption)
		list = append(list, shown{w.picture(w.game, name, caption, pixels, drawn...), caption, len(drawn)})
	}
	for i, f := range w.figures {
		state, _, err := env.ReplayText(w.game, splitMoves(f.moves))
		if err != nil {
			return fmt.Errorf("figure %d: %w", i+1, err)
		}
		d := diagram{pieces: diagrams.Pieces(state), wonBy: w.cellsOf(f.ring)}
		name := fmt.Sprintf("figure-%d", i+1)
		list = append(list, shown{w.picture(w.game, name, f.caption, pixels, d), f.caption, 1})
	}
	w.cells(list)
	return nil
}

// splitMoves splits moves that are separated by semicolons.
func splitMoves(text string) []string {
	moves := strings.Split(text, ";")
	for i := range moves {
		moves[i] = strings.TrimSpace(moves[i])
	}
	return moves
}

// cellsOf returns the cells with names separated by blanks.
func (w *writer) cellsOf(names string) (list []int32) {
	for name := range strings.FieldsSeq(names) {
		for cell := range w.game.Drawing.Cells {
			if w.game.CellName(int32(cell)) == name {
				list = append(list, int32(cell))
			}
		}
	}
	return list
}

// writeKnown writes what is known, and the scores of the first moves.
func (w *writer) writeKnown() {
	w.line("## What is known\n")
	w.line("%s [SOLVED.md](../../env/solver/SOLVED.md) lists what ludus has solved.\n", w.known)
	first := w.study.First
	if len(first) == 0 || len(first) == 1 && !first[0].Exact {
		return
	}
	w.line("### First moves\n")
	player := w.firsts.Players[0]
	if w.firsts.Name != w.game.Name {
		w.line("These are the first moves of `%s`, a smaller board.\n", w.firsts.Name)
	}
	how := fmt.Sprintf("**Estimates, not exact:** the expected score of %s (%s), by %s after each move.",
		player, scale(w.firsts), w.analyst(firstSimulations))
	if first[0].Exact {
		name := w.firsts.Name
		if strings.Contains(name, "(") { // a shell needs quotes
			name = strconv.Quote(name)
		}
		how = fmt.Sprintf("Exact scores of %s (%s) with perfect play by both, from `ludus solve %s`.", player, scale(w.firsts), name)
	}
	w.line("%s Moves on one line are alike by symmetry.\n", how)
	d, shaded, hidden := w.firstDiagram()
	alt := fmt.Sprintf("%s: scores of the first moves", w.title)
	w.line("%s\n", w.picture(w.firsts, "first", alt, width(w.firsts)*4/3, d))
	var legend []string
	if shaded {
		legend = append(legend, "The stronger the colour, the better for "+player+".")
	}
	if hidden {
		legend = append(legend, "Of several moves to one cell, the picture shows the best.")
	}
	if len(legend) > 0 {
		w.line("%s\n", strings.Join(legend, " "))
	}
	w.line("| first move | score of %s |\n|---|---:|", player)
	for _, m := range first {
		w.line("| %s | %s |", strings.Join(m.Moves, ", "), scoreText(m.Score, m.Exact))
	}
	w.line("")
}

// cellsOfMove returns the cells of a first move.
func (w *writer) cellsOfMove(name string) env.FromTo {
	a, err := w.firsts.ParseAction(name)
	if err != nil {
		panic(err) // names come from the game
	}
	return w.firsts.Drawing.ActionCells[a]
}

func scoreText(score float64, exact bool) string {
	if exact {
		return fmt.Sprintf("**%.0f**", score)
	}
	return fmt.Sprintf("%.0f", score)
}

// analyst names the agent that analyses with so many simulations.
func (w *writer) analyst(simulations int) string {
	if w.study.Network != "" {
		return fmt.Sprintf("the shipped agent with %s simulations of PUCT", grouped(simulations))
	}
	return fmt.Sprintf("a search with %s random playouts", grouped(simulations))
}

// firstDiagram draws the first moves by their scores. It reports whether cells are shaded, and whether moves are hidden because
// a better one ends on the same cell.
func (w *writer) firstDiagram() (d diagram, shaded, hidden bool) {
	d = diagram{pieces: diagrams.Pieces(w.firsts.NewState()), label: make(map[int32]string)}
	low, high := w.study.First[len(w.study.First)-1].Score, w.study.First[0].Score
	for _, m := range w.study.First {
		for _, name := range m.Moves {
			cells := w.cellsOfMove(name)
			if cells.To < 0 {
				continue
			}
			if d.label[cells.To] != "" { // the best move comes first
				hidden = true
				continue
			}
			weight := 1.0
			if high > low {
				weight = (m.Score - low) / (high - low)
			}
			d.moves = append(d.moves, weighted{name, weight})
			shaded = shaded || cells.From < 0 && high > low
			d.label[cells.To] = fmt.Sprintf("%.0f", m.Score)
		}
	}
	return d, shaded, hidden
}

// writeCards writes the cards of the agents shipped for the games of the page.
func (w *writer) writeCards() {
	for _, name := range w.names() {
		if c := zoo.CardOf(name); c != nil {
			w.writeCard(c)
		}
	}
}

// writeCard writes how a shipped agent was trained and how strong it is.
func (w *writer) writeCard(c *zoo.Card) {
	if len(w.more) == 0 {
		w.line("## The shipped agent\n")
	} else {
		w.line("## The shipped agent of `%s`\n", c.Game)
	}
	t, n := &c.Training, &c.Network
	took := time.Duration(t.Seconds) * time.Second
	w.line("The agent `zoo` plays with a network of %d channels and %d blocks (%.0f kB). It was trained in %v on %d "+
		"cores, from %s games against itself, by\n", n.Channels, n.Blocks, float64(n.Bytes)/1000, took, t.Cores, grouped(t.Games))
	w.line("    %s\n", t.Command)
	w.line("with seed %d (%s, commit %s; generation %d of %d).\n", t.Seed, t.Date, t.Commit, t.Generation, t.Generations)
	w.writeStrength(c)
	if p := c.Certificate; p != nil {
		w.line("**Certificate:** `%s`, started anew in each position, gives no value away against any opponent. `%s` proves it in %s positions.\n",
			p.Agent, p.Command, grouped(p.Positions))
	}
	if len(c.Weaknesses) > 0 {
		w.line("**Weaknesses:** %s.\n", strings.Join(c.Weaknesses, "; "))
	}
}

// writeStrength writes a table of what was measured, and the commands that measure it.
func (w *writer) writeStrength(c *zoo.Card) {
	w.line("| | network alone | 64 simulations |\n|---|---|---|")
	for _, suite := range []string{"shipped", "hard"} {
		alone, search := c.Find(suite, "policy:zoo"), c.Find(suite, "zoo")
		if alone != nil && search != nil {
			w.line("| moves that lose value, %s solved positions (%s suite) | %s | %s |", grouped(alone.Positions), suite,
				percent(alone.Error), percent(search.Error))
		}
	}
	for _, m := range c.Matches {
		w.line("| score against `%s`, %d games: %s, %s, %s | | %s |", m.Opponent, m.Games,
			counted(m.Wins, "win", "s"), counted(m.Draws, "draw", "s"), counted(m.Losses, "loss", "es"), percent(m.Score))
	}
	if r := c.Rating; r != nil {
		w.line("| Elo above random moves, %d simulations | | %.0f (%.0f to %.0f) |", r.Simulations, r.Value, r.Low, r.High)
	}
	measured := "errors and match scores"
	if len(c.Errors) == 0 {
		measured = "match scores"
	}
	w.line("\nBrackets are 95 %% intervals. %s%s These commands measure the %s again:\n",
		aboutSuites(c), aboutOpenings(w.game), measured)
	for _, e := range c.Errors {
		w.line("    %s", e.Command)
	}
	for _, m := range c.Matches {
		w.line("    %s", m.Command)
	}
	w.line("")
	w.writeDial(c)
}

// aboutSuites explains the errors on a card, in sentences that each end with a blank; "" if it has none.
func aboutSuites(c *zoo.Card) (text string) {
	if c.Find("shipped", "zoo") != nil {
		text = "A move loses value if, with perfect play afterwards, it gives a worse result than the best move. "
	}
	if c.Find("hard", "zoo") != nil {
		text += "In at least half of the hard suite's positions a search with 1,000 random playouts lost value. "
	}
	return text
}

// aboutOpenings says how the games of matches begin, in a sentence.
func aboutOpenings(game *env.Game) string {
	text := "Each game of a match begins with two random plies"
	if !slices.ContainsFunc(game.Classes, func(c env.Class) bool { return c.Utility == 0 }) {
		text += ", which may already decide it: then even perfect play loses in one of the seats"
	}
	return text + "."
}

// writeDial writes how to weaken the agent, and how exactly it then plays at the strength asked for.
func (w *writer) writeDial(c *zoo.Card) {
	low, high, ok := ratings.ShippedDial(c.Game).Range()
	if !ok {
		return
	}
	w.line("**Weaker opponents:** `zoo,elo=N`, with N from %d to %d, plays at about N Elo above random moves, measured in %s games.%s\n",
		low, high, grouped(c.Dial.Games), checked(c.Dial))
}

// checked says how far the ratings of checked agents were from what they claim, as a sentence after a blank.
func checked(d *zoo.Dial) string {
	if len(d.Checks) == 0 {
		return ""
	}
	low, high := math.Inf(1), math.Inf(-1) // rated minus asked for
	for _, check := range d.Checks {
		off := math.Round(check.Rating.Value) - float64(check.Elo)
		low, high = min(low, off), max(high, off)
	}
	result := fmt.Sprintf("at most %.0f Elo off", max(-low, high))
	switch {
	case high < 0:
		result = fmt.Sprintf("%.0f to %.0f Elo weaker than that", -high, -low)
	case low > 0:
		result = fmt.Sprintf("%.0f to %.0f Elo stronger than that", low, high)
	}
	return fmt.Sprintf(" Rated again, in %s new games against other opponents, %d such agents were %s.",
		grouped(d.CheckGames), len(d.Checks), result)
}

// counted writes a count and its noun, with the plural's ending unless it is 1.
func counted(n int, noun, ending string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s%s", n, noun, ending)
}

// percent returns a share and its interval in percent.
func percent(e zoo.Estimate) string {
	digits := 1
	if e.Value < 0.01 {
		digits = 2
	}
	scale := math.Pow(10, float64(digits+2))
	round := func(share float64) float64 { return math.Round(scale*share+1e-6) / (scale / 100) } // 10.55 becomes 10.6
	return fmt.Sprintf("%.*f %% (%.*f to %.*f)", digits, round(e.Value), digits, round(e.Low), digits, round(e.High))
}

// grouped writes a number with commas between groups of three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// mostDiagrams is the largest number of diagrams of a sample game.
const mostDiagrams = 6

// writeSample writes the sample game with its comments.
func (w *writer) writeSample() error {
	notes, _, err := (&commentator{w.studied, w.study}).notes()
	if err != nil {
		return err
	}
	names, specs := w.studied.Players, w.study.Players
	heading := "A sample game"
	if w.studied.Name != w.game.Name {
		heading += fmt.Sprintf(" of `%s`", w.studied.Name)
	}
	w.line("## %s\n", heading)
	w.line("`%s` is %s, `%s` is %s. Scores are those of %s after the move: %s. Exact scores, by the solver, are in bold; the "+
		"others are expected by %s. The comments come from these numbers.\n",
		specs[0], names[0], specs[1], names[1], names[0], scale(w.studied), w.analyst(analystSims))
	var moves []string
	for _, p := range w.study.Sample {
		moves = append(moves, p.Move)
	}
	w.line("%s\n", wrapped("Moves: "+strings.Join(moves, " "), 120))
	w.diagrams(notes)
	w.line("| ply | move | score | comment |\n|---:|---|---:|---|")
	for _, n := range notes {
		w.line("| %d | %s %s | %s | %s |", n.ply, names[n.player], n.move, n.score, n.text)
	}
	return nil
}

// diagrams shows the positions of the heaviest notes, in the order of play.
func (w *writer) diagrams(notes []note) {
	var heaviest []note
	for weight := endNote; weight >= jumpNote; weight-- {
		for _, n := range notes {
			if n.weight == weight && len(heaviest) < mostDiagrams {
				heaviest = append(heaviest, n)
			}
		}
	}
	slices.SortFunc(heaviest, func(a, b note) int { return a.ply - b.ply })
	var list []shown
	for _, n := range heaviest {
		caption := fmt.Sprintf("After ply %d, %s %s", n.ply, w.studied.Players[n.player], n.move)
		picture := w.picture(w.studied, fmt.Sprintf("game-%d", n.ply), caption+": "+n.text, width(w.studied), n.diagram)
		list = append(list, shown{picture, caption, 1})
	}
	w.cells(list)
}

// wrapped breaks a text into lines of at most so many characters.
func wrapped(text string, most int) string {
	var b strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case length > 0 && length+1+len(word) > most:
			b.WriteString("\n")
			length = 0
		case length > 0:
			b.WriteString(" ")
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}
