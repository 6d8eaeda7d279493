package main

import (
	"fmt"
	"math"
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

// renderOverview adds README.md with its table of games and pictures to files.
func renderOverview(files map[string]string) error {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return err
	}
	table, err := gamesTable()
	if err != nil {
		return err
	}
	before, rest, _ := strings.Cut(string(readme), gamesBegin)
	_, after, ended := strings.Cut(rest, gamesEnd)
	if !ended {
		return fmt.Errorf("README.md lacks the lines around its table of games")
	}
	files["README.md"] = before + gamesBegin + table + gamesEnd + after
	var rating svg.Chart
	if err := readData("data/rating.json", &rating); err != nil {
		return err
	}
	files[pictureFolder+"/rating.svg"] = rating.File()
	files[pictureFolder+"/analysis.svg"], err = drawAnalysis("breakthrough-6x6")
	return err
}

// gamesTable returns a table of the pages, each with a picture of a won game.
func gamesTable() (string, error) {
	var b strings.Builder
	b.WriteString("<table>\n")
	for row := range slices.Chunk(pages(), 5) {
		b.WriteString("<tr>\n")
		for _, p := range row {
			game, err := games.New(p.name())
			if err != nil {
				return "", err
			}
			// The first diagram without a move shows a won game; picture n shows diagram n-1.
			won := slices.IndexFunc(diagrams.Of(game), func(d diagrams.Diagram) bool { return d.Move == "" })
			fmt.Fprintf(&b, "<td align=\"center\" valign=\"top\" width=\"20%%\"><a href=\"%[1]s/%[2]s.md\">"+
				"<img src=\"%[1]s/pictures/%[2]s-rules-%[3]d.svg\" height=\"120\" alt=\"%[4]s: a won game\"><br><code>%[2]s</code></a>"+
				"<br>%[5]s</td>\n", pagesFolder, p.name(), won+1, p.title(), game.Summary)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String(), nil
}

// drawAnalysis draws a position with the moves that an analysis visited most, and what they are worth.
func drawAnalysis(name string) (string, error) {
	game, err := games.New(name)
	if err != nil {
		return "", err
	}
	var request struct{ Moves []string }
	var reply struct {
		Moves []struct {
			Move  string
			Value float64
		}
	}
	if err := readData("data/analysis.jsonl", &request, &reply); err != nil {
		return "", err
	}
	state, _, err := env.ReplayText(game, request.Moves)
	if err != nil {
		return "", err
	}
	mover := int(state.Player())
	d := diagram{Diagram: diagrams.Diagram{Pieces: diagrams.Pieces(state), Player: mover},
		label: make([]string, game.Tensor.Cells())}
	for _, m := range reply.Moves[:5] {
		if to := cellsOf(game, m.Move).To; d.label[to] == "" { // if several moves go to a cell, the most visited one
			d.arrows = append(d.arrows, arrow{m.Move, math.Exp((m.Value - reply.Moves[0].Value) / 0.2)}) // worth in analysis.js
			d.label[to] = fmt.Sprintf("%.0f", 50*(1+m.Value))                                            // expected score in percent; values go from -1 to 1
		}
	}
	title := fmt.Sprintf("%s, %[2]s to move: the moves that the agent looked at most, and %[2]s's expected score in %% after each. "+
		"Best: %[3]s",
		game.Name, game.Players[mover], reply.Moves[0].Move)
	return drawBoard(game, title, &d), nil
}
