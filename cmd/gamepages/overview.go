package main

import (
	"fmt"
	"slices"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/env"
	"ludus/env/games"
)

// generated is the first line of pages.
const generated = "<!-- Written by go generate ./cmd/gamepages. Do not edit. -->\n"

// README's parts that are written here are between these lines.
const (
	gamesBegin = "<!-- games: written by go generate ./cmd/gamepages -->\n"
	gamesEnd   = "<!-- end of games -->\n"
)

// Pictures of README.
const (
	analysisPicture = "docs/games/pictures/analysis.svg"
	ratingPicture   = "docs/games/pictures/rating.svg"
	errorPicture    = "docs/games/pictures/errors.svg"
	analysedPage    = 0 // in pages
	analysedFrom    = 4 // least ply of the position shown; even
)

// renderOverview adds the index of the pages, README.md with its table of games, and its pictures.
func renderOverview(files map[string]string, data, readme string) error {
	before, rest, found := strings.Cut(readme, gamesBegin)
	_, after, closed := strings.Cut(rest, gamesEnd)
	if !found || !closed {
		return fmt.Errorf("README.md has no lines %q and %q", gamesBegin, gamesEnd)
	}
	table, err := gamesTable(pagesFolder + "/")
	if err != nil {
		return err
	}
	files["README.md"] = before + gamesBegin + table + gamesEnd + after
	if table, err = gamesTable(""); err != nil {
		return err
	}
	files[pagesFolder+"/README.md"] = generated + "\n# Games\n\n" +
		"Rules with pictures, what is known, the shipped agent and a sample game with comments.\n\n" + table
	var c curve
	if err := readData(data, curveData, &c); err != nil {
		return err
	}
	files[ratingPicture], files[errorPicture] = c.draw(), drawErrors()
	files[analysisPicture], err = drawAnalysis(data)
	return err
}

// gamesTable returns a table with a picture of each page's game; prefix leads to the pages.
func gamesTable(prefix string) (string, error) {
	const inRow = 5
	var b strings.Builder
	b.WriteString("<table>\n")
	for row := range slices.Chunk(pages, inRow) {
		b.WriteString("<tr>\n")
		for i := range row {
			p := &row[i]
			game, err := games.New(p.name)
			if err != nil {
				return "", err
			}
			won := slices.IndexFunc(diagrams.Of(game), func(d diagrams.Diagram) bool { return d.Move == "" })
			picture := fmt.Sprintf("%s-rules-%d.svg", p.name, won+1)
			fmt.Fprintf(&b, "<td align=\"center\" valign=\"top\" width=\"20%%\"><a href=\"%s\">"+
				"<img src=\"%s\" height=\"120\" alt=\"%s: a won game\"><br><code>%s</code></a><br>%s</td>\n",
				prefix+p.name+".md", prefix+"pictures/"+picture, p.title, p.name, game.Summary)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String(), nil
}

// drawAnalysis draws a position of a sample game with the moves of its analysis.
func drawAnalysis(data string) (string, error) {
	p := &pages[analysedPage]
	s, err := readStudy(data, p)
	if err != nil {
		return "", err
	}
	game, err := games.New(p.studied())
	if err != nil {
		return "", err
	}
	var before []string
	for i := range s.Sample {
		before = append(before, s.Sample[i].Move)
	}
	at := mostOpen(s.Sample)
	state, _, err := env.ReplayText(game, before[:at])
	if err != nil {
		return "", err
	}
	top := s.Sample[at].Top
	d := diagram{pieces: diagrams.Pieces(state), label: make(map[int32]string)}
	for _, m := range top {
		a, err := game.ParseAction(m.Move)
		if err != nil {
			return "", err
		}
		to := game.Drawing.ActionCells[a].To
		if d.label[to] != "" {
			continue
		}
		d.moves = append(d.moves, weighted{m.Move, float64(m.Visits) / float64(top[0].Visits)})
		d.label[to] = fmt.Sprintf("%.0f", m.Score)
	}
	title := fmt.Sprintf("%s, %s to move: the moves that the agent looked at most, and white's expected score after each. Best: %s",
		p.title, game.Players[state.Player()], top[0].Move)
	return drawSVG(game, title, d), nil
}

// mostOpen returns the index of the position with the first player to move, not before analysedFrom, whose analysis is spread
// most over several moves: its most visited move has the fewest visits. That move must have the best score, as it has after a
// long search. Players alternate.
func mostOpen(sample []ply) int {
	best := analysedFrom
	for i := analysedFrom; i < len(sample); i += 2 {
		top := sample[i].Top
		better := func(m topMove) bool { return m.Score > top[0].Score }
		if len(top) > 2 && !slices.ContainsFunc(top, better) && top[0].Visits < sample[best].Top[0].Visits {
			best = i
		}
	}
	return best
}
