package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/cmd/internal/svg"
	"ludus/env"
	"ludus/env/games"
)

// Lines of README.md between which its table of games is generated.
const (
	gamesBegin = "<!-- games: written by go generate ./cmd/gamepages -->\n"
	gamesEnd   = "<!-- end of games -->\n"
)

// renderOverview adds to files the index of the pages and README.md with its table of games and pictures.
func renderOverview(files map[string]string, root string, list []page) error {
	table, err := gamesTable(list, "")
	if err != nil {
		return err
	}
	files[pagesFolder+"/README.md"] = generated + "\n# Games\n\n" +
		"Rules with pictures, what is known, the shipped agent and a sample game with comments.\n\n" + table
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(readme), gamesBegin)
	if _, after, ended := strings.Cut(rest, gamesEnd); begun && ended {
		if table, err = gamesTable(list, pagesFolder+"/"); err != nil {
			return err
		}
		files["README.md"] = before + gamesBegin + table + gamesEnd + after
	}
	var rating svg.Chart // the chart of a run's report
	if err := readData(filepath.Join(root, dataFolder), "rating", &rating); err != nil {
		return err
	}
	files[pictureFolder+"/rating.svg"] = rating.File()
	files[pictureFolder+"/analysis.svg"], err = drawAnalysis(filepath.Join(root, dataFolder))
	return err
}

// gamesTable returns a table of the pages, each with a picture of a won game. prefix is the path from the table's file to
// the pages.
func gamesTable(list []page, prefix string) (string, error) {
	const inRow = 5
	var b strings.Builder
	b.WriteString("<table>\n")
	for row := range slices.Chunk(list, inRow) {
		b.WriteString("<tr>\n")
		for _, p := range row {
			game, err := games.New(p.name())
			if err != nil {
				return "", err
			}
			won := slices.IndexFunc(diagrams.Of(game), func(d diagrams.Diagram) bool { return d.Move == "" })
			fmt.Fprintf(&b, "<td align=\"center\" valign=\"top\" width=\"20%%\"><a href=\"%[1]s%[2]s.md\">"+
				"<img src=\"%[1]spictures/%[2]s-rules-%[3]d.svg\" height=\"120\" alt=\"%[4]s: a won game\"><br><code>%[2]s</code></a>"+
				"<br>%[5]s</td>\n", prefix, p.name(), won+1, p.title(), game.Summary)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String(), nil
}

// Position in README.md's picture of an analysis; several moves are about equally good there.
const (
	analysedPage = "breakthrough-6x6"
	analysedPly  = 6 // number of plies played before it
)

// drawAnalysis draws a position of a sample game with the moves of its analysis.
func drawAnalysis(data string) (string, error) {
	s, err := readStudy(data, &page{[]string{analysedPage}})
	if err != nil {
		return "", err
	}
	game, err := games.New(s.Game)
	if err != nil {
		return "", err
	}
	var moves []string
	for _, p := range s.Sample[:analysedPly] {
		moves = append(moves, p.Move)
	}
	state, _, err := env.ReplayText(game, moves)
	if err != nil {
		return "", err
	}
	top := s.Sample[analysedPly].Top
	d := diagram{pieces: diagrams.Pieces(state), player: int(state.Player()), label: make(map[int32]string)}
	for _, m := range top {
		if to := cellsOf(game, m.Move).To; d.label[to] == "" { // if several moves go to a cell, the most visited one
			d.arrows = append(d.arrows, weighted{m.Move, float64(m.Visits) / float64(top[0].Visits)})
			d.label[to] = fmt.Sprintf("%.0f", m.Score)
		}
	}
	title := fmt.Sprintf("%s, %s to move: the moves that the agent looked at most, and %s's expected score after each. Best: %s",
		game.Name, game.Players[state.Player()], game.Players[0], top[0].Move)
	return drawBoards(game, title, d), nil
}
