package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/report"
	"ludus/env"
	"ludus/env/games"
)

// generated is the first line of pages.
const generated = "<!-- Written by go generate ./cmd/ludus/internal/gamepages. Do not edit. -->\n"

// README's parts that are written here are between these lines.
const (
	gamesBegin = "<!-- games: written by go generate ./cmd/ludus/internal/gamepages -->\n"
	gamesEnd   = "<!-- end of games -->\n"
)

// Pictures at the top of README.
const (
	analysisPicture = "docs/games/pictures/analysis.svg"
	ratingPicture   = "docs/games/pictures/rating.svg"
	analysedPage    = 0 // in pages
	analysedFrom    = 4 // least ply of the position shown
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
		"Rules with pictures, what is known, the shipped agent, and a sample game with comments.\n\n" + table
	var c curve
	if err := readData(data, curveData, &c); err != nil {
		return err
	}
	files[ratingPicture] = c.draw()
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
			picture := fmt.Sprintf("%s-rules-%d.svg", p.name, len(board.Diagrams(game))) // the last one is a won game
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
	description, state := board.Describe(game), game.NewState()
	for i, ply := range s.Sample {
		open := !ply.Exact && math.Abs(ply.Score-50) < 35
		if i >= analysedFrom && state.Player() == env.First && open && len(ply.Top) >= 4 {
			d := diagram{pieces: board.Pieces(state), label: make(map[int32]string)}
			for _, m := range ply.Top {
				to := description.Actions[m.Move].To
				if d.label[to] != "" {
					continue
				}
				d.moves = append(d.moves, weighted{m.Move, float64(m.Visits) / float64(ply.Top[0].Visits)})
				d.label[to] = fmt.Sprintf("%.0f", m.Score)
			}
			title := fmt.Sprintf("Breakthrough, white to move: the moves that the agent looked at most, and white's expected "+
				"score after each. Best: %s", ply.Top[0].Move)
			return drawSVG(description, title, d), nil
		}
		a, err := game.ParseAction(ply.Move)
		if err != nil {
			return "", err
		}
		state.Apply(a)
	}
	return "", errors.New("the sample game has no position for README's picture")
}

// curve is the rating of a run over its time.
type curve struct {
	Game      string   `json:"game"`
	Seed      uint64   `json:"seed"`
	Minutes   float64  `json:"minutes"` // of the plan
	Points    []point  `json:"points"`
	Baselines []rating `json:"baselines"`
}

type rating struct {
	Agent string  `json:"agent"`
	Elo   float64 `json:"elo"`
}

// point is a rated checkpoint with its 95 % interval.
type point struct {
	Minutes float64 `json:"minutes"` // of training until then
	Elo     float64 `json:"elo"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

const curveData = "rating"

// recordCurve stores the rating curve of a run.
func recordCurve(data, dir string) error {
	run, err := report.ReadRun(dir)
	if err != nil {
		return err
	}
	if run.Ratings == nil {
		return fmt.Errorf("%s has no ratings; run \"ludus rate %[1]s\" first", dir)
	}
	c := curve{Game: run.Game.Name, Seed: run.Config.Seed}
	for _, a := range run.Ratings.Agents {
		if a.Generation == nil {
			c.Baselines = append(c.Baselines, rating{a.Agent, math.Round(a.Rating)})
			continue
		}
		minutes := 0.0
		for _, g := range run.Generations {
			if g.Generation <= *a.Generation {
				minutes = g.RunSeconds / 60
			}
			c.Minutes = max(c.Minutes, math.Round(g.RunSeconds/60))
		}
		c.Points = append(c.Points, point{
			Minutes: math.Round(100*minutes) / 100, Elo: math.Round(a.Rating), Low: math.Round(a.Low), High: math.Round(a.High),
		})
	}
	slices.SortFunc(c.Points, func(a, b point) int { return int(math.Round(60 * (a.Minutes - b.Minutes))) })
	return writeData(data, curveData, c)
}

// draw draws the curve with its intervals, and the baselines as dashed lines.
func (c *curve) draw() string {
	const left, right, top, bottom, wide, high = 62.0, 92.0, 34.0, 46.0, 460.0, 330.0
	most, longest := 0.0, 0.0
	for _, p := range c.Points {
		most, longest = max(most, p.High), max(longest, p.Minutes)
	}
	most, longest = 500*math.Ceil(most/500), math.Ceil(longest)
	x := func(minutes float64) float64 { return left + (wide-left-right)*minutes/longest }
	y := func(elo float64) float64 { return high - bottom - (high-top-bottom)*max(0, elo)/most }
	var b strings.Builder
	add := func(format string, args ...any) {
		for i, arg := range args {
			if v, ok := arg.(float64); ok {
				args[i] = num(v)
			}
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	for elo := 0.0; elo <= most; elo += 500 {
		add("<path class=\"grid\" d=\"M%s %sH%s\"/><text class=\"faint end\" x=\"%s\" y=\"%s\">%s</text>",
			left, y(elo), wide-right, left-8, y(elo)+4, elo)
	}
	for minutes := 0.0; minutes <= longest; minutes += math.Ceil(longest / 6) {
		add("<text class=\"faint\" x=\"%s\" y=\"%s\">%s</text>", x(minutes), high-bottom+18, minutes)
	}
	add("<text class=\"faint\" x=\"%s\" y=\"%s\">minutes of training on two cores</text>", x(longest/2), high-8)
	add("<text class=\"strong\" x=\"%s\" y=\"20\">Elo above random moves, %s</text>", x(longest/2), c.Game)
	for _, r := range c.Baselines {
		add("<path class=\"base\" d=\"M%s %sH%s\"/><text class=\"faint start\" x=\"%s\" y=\"%s\">%s</text>",
			left, y(r.Elo), wide-right, wide-right+6, y(r.Elo)+4, r.Agent)
	}
	var up, down, line []string
	for _, p := range c.Points {
		up = append(up, num(x(p.Minutes))+","+num(y(p.High)))
		down = append([]string{num(x(p.Minutes)) + "," + num(y(p.Low))}, down...)
		line = append(line, num(x(p.Minutes))+","+num(y(p.Elo)))
	}
	add("<polygon class=\"band\" points=\"%s\"/>", strings.Join(append(up, down...), " "))
	add("<polyline class=\"curve\" points=\"%s\"/>", strings.Join(line, " "))
	for _, p := range c.Points {
		add("<circle class=\"dot\" cx=\"%s\" cy=\"%s\" r=\"3.5\"/>", x(p.Minutes), y(p.Elo))
	}
	title := fmt.Sprintf("Rating of a run of %s over its minutes of training, with 95 %% intervals", c.Game)
	return svgFile(title, wide, high, 1, styleOf(nil)+curveStyle, b.String())
}

const curveStyle = `text{font:13px sans-serif;text-anchor:middle}
.end{text-anchor:end}.start{text-anchor:start}.strong{font-weight:600}
.grid{stroke:#8888;stroke-width:.5}.base{stroke:#888;stroke-dasharray:4 4}.band{fill:#2f7edb;fill-opacity:.2}
.curve{fill:none;stroke:#2f7edb;stroke-width:2.5}.dot{fill:#2f7edb}
`
