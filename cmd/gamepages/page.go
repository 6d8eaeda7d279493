package main

import (
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/cmd/internal/diagrams"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/shipped"
)

// generated is the first line of pages.
const generated = "<!-- Written by go generate ./cmd/gamepages. Do not edit. -->\n"

// Lines of a page between which its section "What is known" stands, which is written by hand.
const (
	knownBegin = "<!-- Written by hand: what is known about the game. -->\n"
	knownEnd   = "<!-- Generated again from here. -->\n"
)

// writer writes one page.
type writer struct {
	*page
	files    map[string]string // all generated files, by path
	pictures []string          // cells of the next table of pictures
	b        strings.Builder
}

// renderPage adds a page and its pictures to files.
func renderPage(files map[string]string, p *page, s sample) error {
	game, err := games.New(p.name())
	if err != nil {
		return err
	}
	if s.Network != p.card().Network.SHA256 {
		return errors.New("the sample game is not by the shipped agent: run go generate ./cmd/gamepages")
	}
	path := pagesFolder + "/" + p.name() + ".md"
	old, _ := os.ReadFile(filepath.Join(root, path)) // a new page has no hand-written section yet
	_, known, _ := strings.Cut(string(old), knownBegin)
	known, _, _ = strings.Cut(known, knownEnd)

	w := &writer{page: p, files: files}
	w.line("%s\n# %s\n", generated, p.title())
	w.line("[All games](../../README.md#games)\n")
	w.writeRules(game)
	w.line("%s%s%s", knownBegin, known, knownEnd)
	for _, name := range p.names {
		if c := zoo.CardOf(name); c != nil {
			w.writeCard(c)
		}
	}
	if err := w.writeSample(s.Moves); err != nil {
		return err
	}
	files[path] = w.b.String()
	return nil
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// draw adds diagrams to the files, as pictures/PAGE-NAME.svg, PAGE-NAME-after.svg and so on, and a cell with them, one
// below the other, to the next table of pictures.
func (w *writer) draw(game *env.Game, name, caption string, list ...diagram) {
	columns, caption, cell := game.Tensor.W, capital(caption), ""
	if game.Drawing.Hexagons {
		columns += columns / 2 // each row is half a cell right of the row below
	}
	for i, d := range list {
		file := fmt.Sprintf("pictures/%s-%s%s.svg", w.name(), name, strings.Repeat("-after", i))
		alt := caption
		if len(list) == 2 {
			alt = ofTwo(caption, i)
		}
		w.files[pagesFolder+"/"+file] = drawBoard(game, w.title()+": "+alt, &d)
		width := min(250, 40+30*columns) // pixels: 30 a column, 40 for labels
		if d.label != nil {              // texts need larger cells
			width += width / 2
		}
		cell += fmt.Sprintf(`<img src="%s" width="%d" alt="%s"><br>`, file, width, html.EscapeString(alt))
	}
	w.pictures = append(w.pictures, `<td align="center" valign="top" width="33%">`+cell+caption+"</td>")
}

// ofTwo returns the caption of one of the two pictures of a move: number 0 shows the board before it, 1 after it.
func ofTwo(caption string, number int) string {
	moment := []string{"before", "after"}[number]
	if text := strings.Replace(caption, "before and after", moment, 1); text != caption {
		return text
	}
	return caption + ", " + moment + " the move"
}

// writePictures writes a table of the pictures.
func (w *writer) writePictures() {
	w.line("<table>")
	for row := range slices.Chunk(w.pictures, 3) {
		w.line("<tr>\n%s\n</tr>", strings.Join(row, "\n"))
	}
	w.line("</table>\n")
	w.pictures = nil
}

// writeRules writes how to play the game, its rules, and pictures of every kind of move and of won games.
func (w *writer) writeRules(game *env.Game) {
	w.line("`%s`: %s. Players are %s, who moves first, and %s. A game lasts at most %d plies (moves of one player).\n",
		strings.Join(w.names, "`, `"), game.Summary, game.Players[0], game.Players[1], game.MaxPlies)
	w.line("    go run ./cmd/ludus play %-18s in the terminal", w.card().Game)
	w.line("    go run ./cmd/ludus serve --open            in the browser\n")
	w.line("## Rules\n\n%s\n", strings.ReplaceAll(game.Rules, "\n", "\n\n"))
	if game.Strategy != "" {
		w.line("**Tip:** %s\n", game.Strategy)
	}
	w.draw(game, "start", "the start", diagram{Diagram: diagrams.Diagram{Pieces: diagrams.Pieces(game.NewState())}})
	for i, d := range diagrams.Of(game) {
		list := []diagram{{Diagram: d}}
		if d.After != "" {
			list = append(list, diagram{Diagram: diagrams.Diagram{Pieces: d.After}, last: d.Move})
		}
		w.draw(game, fmt.Sprintf("rules-%d", i+1), d.Caption, list...)
	}
	w.writePictures()
}

// writeCard writes how a shipped agent was trained and how strong it is.
func (w *writer) writeCard(c *zoo.Card) {
	t, n, cores := &c.Training, &c.Network, "one core"
	if t.Cores > 1 {
		cores = fmt.Sprintf("%d cores", t.Cores)
	}
	w.line("## The shipped agent of `%s`\n", c.Game)
	w.line("The agent `zoo` plays with a network of %d channels and %d blocks (%.0f kB), trained in %v on %s "+
		"from %s games against itself (%s, commit %s):\n", n.Channels, n.Blocks, float64(n.Bytes)/1000,
		time.Duration(t.Seconds)*time.Second, cores, grouped(t.Games), t.Date, t.Commit)
	w.line("    %s\n", t.Command)
	w.line("| | network alone | 64 simulations |\n|---|---|---|")
	for _, suite := range []string{"shipped", "hard"} {
		alone, search := c.Find(suite, "policy:zoo"), c.Find(suite, "zoo")
		if alone != nil && search != nil {
			w.line("| moves that lose value, %s solved positions (%s suite) | %s | %s |", grouped(alone.Positions), suite,
				percent(alone.Error), percent(search.Error))
		}
	}
	for _, m := range c.Matches {
		w.line("| score against `%s`: %d won, %d drawn, %d lost | | %s |", m.Opponent, m.Wins, m.Draws, m.Losses, percent(m.Score))
	}
	if r := c.Rating; r != nil {
		w.line("| Elo above random moves | | %.0f (%.0f to %.0f) |", r.Value, r.Low, r.High)
	}
	w.line("\nBrackets are 95 %% intervals. A move loses value if it gives a worse result than the best move, with "+
		"perfect play afterwards. The [card](../../checkpoints/zoo/%s.json) has the commands that measure this again.\n", c.Game)
	if low, high, ok := shipped.Dial(c.Game).Range(); ok {
		w.line("**Weaker opponents:** `zoo,elo=N`, with N from %d to %d, plays at about N Elo above random moves.\n", low, high)
		if grades := shipped.Dial(c.Game).Grades(); len(grades) > 0 {
			w.line("In words, with the share of blunders (moves that lose value) in the shipped suite:\n")
			for _, g := range grades {
				w.line("- %v", g)
			}
			w.line("")
		}
	}
	if p := c.Certificate; p != nil {
		w.line("**Certificate:** `%s`, started anew in each position, gives no value away against any opponent. "+
			"`%s` proves it in %s positions.\n",
			p.Agent, p.Command, grouped(p.Positions))
	}
	if len(c.Weaknesses) > 0 {
		w.line("**Weaknesses:** %s.\n", strings.Join(c.Weaknesses, "; "))
	}
}

// percent formats a share with its interval in percent.
func percent(e zoo.Estimate) string {
	digits := 1
	if e.Value < 0.01 {
		digits = 2
	}
	const up = 1e-6 // makes 1.85, which has no exact form, round to 1.9
	return fmt.Sprintf("%.*f %% (%.*f to %.*f)", digits, 100*e.Value+up, digits, 100*e.Low+up, digits, 100*e.High+up)
}

// grouped formats a number with commas between groups of three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// writeSample writes the moves of the sample game and a picture of its end. Placed pieces have the
// numbers of their plies.
func (w *writer) writeSample(text string) error {
	game, err := games.New(w.card().Game)
	if err != nil {
		return err
	}
	names := strings.Split(text, ", ")
	state, moves, err := env.ReplayText(game, names)
	if err != nil {
		return fmt.Errorf("sample game: %w", err)
	}
	w.line("## A sample game of `%s`\n\nThe agent plays against itself: %s.\n", game.Name, text)
	end := diagram{
		Diagram: diagrams.Diagram{Pieces: diagrams.Pieces(state), WonBy: state.WinningCells(nil)},
		last:    names[len(names)-1], label: make([]string, game.Tensor.Cells()),
	}
	for i, a := range moves {
		if cells := game.Drawing.ActionCells[a]; cells.From == env.NoCell && cells.To != env.NoCell &&
			end.Pieces[cells.To] != '0' {
			end.label[cells.To] = strconv.Itoa(i + 1)
		}
	}
	w.draw(game, "game", game.Status(state), end)
	w.writePictures()
	return nil
}

// capital capitalises a text, unless its first word is one letter: the names x and o.
func capital(text string) string {
	if first, _, _ := strings.Cut(text, " "); len(first) < 2 {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
