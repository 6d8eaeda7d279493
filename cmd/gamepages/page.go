package main

import (
	"fmt"
	"html"
	"math"
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
	game    *env.Game // game with the page's name
	study   *study
	studied *env.Game         // game of the sample game
	files   map[string]string // all generated files, by path
	b       strings.Builder
}

// renderPage adds a page and its pictures to files. Without a sample game the error wraps [fs.ErrNotExist].
func renderPage(files map[string]string, root string, p *page) error {
	s, err := readStudy(filepath.Join(root, dataFolder), p)
	if err != nil {
		return err
	}
	w := &writer{page: p, study: s, files: files}
	if w.game, err = games.New(p.name()); err != nil {
		return err
	}
	if w.studied, err = games.New(s.Game); err != nil {
		return err
	}
	path := pagesFolder + "/" + p.name() + ".md"
	old, _ := os.ReadFile(filepath.Join(root, path)) // a new page has no hand-written section yet
	_, known, _ := strings.Cut(string(old), knownBegin)
	known, _, _ = strings.Cut(known, knownEnd)

	w.line(generated)
	w.line("# %s\n", p.title())
	w.line("[All games](README.md) · [ludus](../../README.md)\n")
	w.writeRules()
	w.line("%s%s%s", knownBegin, known, knownEnd)
	for _, name := range p.names {
		if c := zoo.CardOf(name); c != nil {
			w.writeCard(c)
		}
	}
	if err := w.writeSample(); err != nil {
		return err
	}
	files[path] = w.b.String()
	return nil
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// shown is a picture with its caption.
type shown struct {
	html, caption string
	columns       int
}

// picture adds a picture of diagrams to the files, and returns it with its caption. alt is for screen readers.
func (w *writer) picture(game *env.Game, name, alt, caption string, list ...diagram) shown {
	name = w.name() + "-" + name + ".svg"
	w.files[pictureFolder+"/"+name] = drawBoards(game, alt, list...)
	columns := game.Tensor.W
	if game.Drawing.Hexagons {
		columns += columns / 2
	}
	width := min(250, 40+30*columns) * len(list)
	return shown{fmt.Sprintf(`<img src="pictures/%s" width="%d" alt="%s">`, name, width, html.EscapeString(alt)), caption, len(list)}
}

// pictures writes a table of pictures, in rows of three columns.
func (w *writer) pictures(list []shown) {
	const inRow = 3
	w.line("<table>\n<tr>")
	used := 0
	for _, s := range list {
		if used+s.columns > inRow {
			w.line("</tr>\n<tr>")
			used = 0
		}
		used += s.columns
		w.line(`<td align="center" valign="top" width="%d%%" colspan="%d">%s<br>%s</td>`, 100*s.columns/inRow, s.columns, s.html, s.caption)
	}
	w.line("</tr>\n</table>\n")
}

// writeRules writes how to play the game, the program's rules, and pictures of every kind of move and of won games.
func (w *writer) writeRules() {
	w.line("`%s`: %s. Players are %s, who moves first, and %s. A game lasts at most %d plies (moves of one player).\n",
		strings.Join(w.names, "`, `"), w.game.Summary, w.game.Players[0], w.game.Players[1], w.game.MaxPlies)
	w.line("    go run ./cmd/ludus play %-18s in the terminal", w.study.Game)
	w.line("    go run ./cmd/ludus serve --open            in the browser\n")
	w.line("## Rules\n\n%s\n", strings.ReplaceAll(w.game.Rules, "\n", "\n\n"))
	if w.game.Strategy != "" {
		w.line("**Tip:** %s\n", w.game.Strategy)
	}
	start := diagram{pieces: diagrams.Pieces(w.game.NewState())}
	list := []shown{w.picture(w.game, "start", w.title()+": the board at the start", "The start", start)}
	for i, d := range diagrams.Of(w.game) {
		drawn := []diagram{{pieces: d.Pieces, player: d.Player, played: d.Move, wonBy: d.WonBy}}
		if d.After != "" {
			drawn = append(drawn, diagram{pieces: d.After, player: d.Player, last: d.Move})
		}
		caption := capital(d.Caption)
		list = append(list, w.picture(w.game, fmt.Sprintf("rules-%d", i+1), caption, caption, drawn...))
	}
	w.pictures(list)
}

// writeCard writes how the shipped agent was trained and how strong it is.
func (w *writer) writeCard(c *zoo.Card) {
	t, n := &c.Training, &c.Network
	w.line("## The shipped agent of `%s`\n", c.Game)
	w.line("The agent `zoo` plays with a network of %d channels and %d blocks (%.0f kB). It was trained in %v on %d "+
		"cores, from %s games against itself, by\n", n.Channels, n.Blocks, float64(n.Bytes)/1000, time.Duration(t.Seconds)*time.Second,
		t.Cores, grouped(t.Games))
	w.line("    %s\n", t.Command)
	w.line("with seed %d (%s, commit %s; generation %d of %d).\n", t.Seed, t.Date, t.Commit, t.Generation, t.Generations)
	w.line("| | network alone | 64 simulations |\n|---|---|---|")
	for _, suite := range []string{"shipped", "hard"} {
		alone, search := c.Find(suite, "policy:zoo"), c.Find(suite, "zoo")
		if alone != nil && search != nil {
			w.line("| moves that lose value, %s solved positions (%s suite) | %s | %s |", grouped(alone.Positions), suite,
				percent(alone.Error), percent(search.Error))
		}
	}
	for _, m := range c.Matches {
		w.line("| score against `%s`, %d games: %d won, %d drawn, %d lost | | %s |", m.Opponent, m.Games, m.Wins, m.Draws, m.Losses,
			percent(m.Score))
	}
	if r := c.Rating; r != nil {
		w.line("| Elo above random moves, %d simulations | | %.0f (%.0f to %.0f) |", r.Simulations, r.Value, r.Low, r.High)
	}
	w.line("\nBrackets are 95 %% intervals. A move loses value if, with perfect play afterwards, it gives a worse result than the best "+
		"move. Each game of a match begins with two random plies. The [card](../../checkpoints/zoo/%s.json) has the commands that "+
		"measure this again.\n", c.Game)
	if low, high, ok := shipped.Dial(c.Game).Range(); ok {
		off := 0.0
		for _, check := range c.Dial.Checks {
			off = max(off, math.Abs(math.Round(check.Rating.Value)-float64(check.Elo)))
		}
		w.line("**Weaker opponents:** `zoo,elo=N`, with N from %d to %d, plays at about N Elo above random moves. Rated again, in %s new "+
			"games, %d such agents were at most %.0f Elo off.\n", low, high, grouped(c.Dial.CheckGames), len(c.Dial.Checks), off)
	}
	if p := c.Certificate; p != nil {
		w.line("**Certificate:** `%s`, started anew in each position, gives no value away against any opponent. `%s` proves it in %s positions.\n",
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

// writeSample writes the sample game: pictures of its most important positions, and a line for each ply.
func (w *writer) writeSample() error {
	notes, err := (&commentator{w.studied, w.study.Sample}).notes()
	if err != nil {
		return err
	}
	names, specs, analyst := w.studied.Players, w.study.Players, fmt.Sprintf("a search with %d random playouts", analystSims)
	if w.study.Network != "" {
		analyst = fmt.Sprintf("the shipped agent with %d simulations of PUCT", analystSims)
	}
	w.line("## A sample game of `%s`\n", w.studied.Name)
	w.line("`%s` is %s, `%s` is %s. Scores are those of %s after the move: %s. Exact scores, by the solver, are in bold; the "+
		"others are expected by %s. The comments come from these numbers.\n",
		specs[0], names[0], specs[1], names[1], names[0], scale(w.studied), analyst)
	const mostPictures = 3
	order := make([]int, len(notes)) // the heaviest notes first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return notes[b].weight - notes[a].weight })
	heaviest := order[:min(mostPictures, len(order))]
	slices.Sort(heaviest)
	var list []shown
	for _, i := range heaviest {
		if n := &notes[i]; n.weight > 0 {
			caption := fmt.Sprintf("After ply %d, %s %s", i+1, names[n.player], n.move)
			list = append(list, w.picture(w.studied, fmt.Sprintf("game-%d", i+1), caption+": "+n.text, caption, n.diagram))
		}
	}
	w.pictures(list)
	w.line("| ply | move | score | comment |\n|---:|---|---:|---|")
	for i, n := range notes {
		w.line("| %d | %s %s | %s | %s |", i+1, names[n.player], n.move, n.score, n.text)
	}
	return nil
}
