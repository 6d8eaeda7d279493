package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/env/games"
)

// Lines of README.md between which its table of games is generated.
const (
	gamesBegin = "<!-- games: written by go generate ./cmd/gamepages -->\n"
	gamesEnd   = "<!-- end of games -->\n"
)

// renderOverview adds README.md with its table of games to files.
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
	return nil
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
