package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
)

//go:embed review.html
var reviewHTML string

var reviewTemplate = template.Must(template.New("review").Parse(reviewHTML))

// reviewedGame is a game on the page of reviews.
type reviewedGame struct {
	Replay *board.Replay    `json:"replay"`
	Review *analysis.Review `json:"review"`
}

// Reviews returns a page with reviews of games, at least one, as one file that loads nothing from elsewhere: people choose a
// game and step through its positions.
func Reviews(game *env.Game, reviews []*analysis.Review) ([]byte, error) {
	if len(reviews) == 0 {
		return nil, errors.New("there is no game to show on a page")
	}
	var games []reviewedGame
	for i, r := range reviews {
		games = append(games, reviewedGame{replay(game, r, fmt.Sprint(i+1)), r})
	}
	data, err := json.Marshal(map[string]any{"description": board.Describe(game), "games": games})
	if err != nil {
		return nil, err
	}
	uplot, script := static.UPlot(), static.Inline("reviewpage.js")
	style := static.Styles("uplot/uPlot.min.css", "base.css", "board.css", "charts.css", "report.css")
	var b bytes.Buffer
	err = reviewTemplate.Execute(&b, map[string]any{
		"Title": "Reviews of " + game.Name, "Agent": reviews[0].Agent,
		"Policy": fmt.Sprintf("default-src 'none'; script-src %s %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
			static.Hash(uplot), static.Hash(script), static.Hash(style)),
		"Data": template.JS(data), "UPlot": template.JS(uplot), "Script": template.JS(script), "Style": template.CSS(style),
	})
	return b.Bytes(), err
}

// replay returns a reviewed game for the viewer, with the review's values of the positions.
func replay(game *env.Game, r *analysis.Review, number string) *board.Replay {
	var moves []env.Action
	for _, m := range r.Moves {
		moves = append(moves, env.Action(slices.Index(game.ActionNames, m.Move)))
	}
	replay := board.NewReplay(game, moves, func(ply int, _ env.State, p *board.ReplayPosition) {
		p.Random = r.Moves[ply].Grade == analysis.Random
	})
	for i, p := range r.Positions {
		replay.Positions[i].Value, replay.Positions[i].Proven = new(p.Value), p.Proven
	}
	replay.Agents = r.Players
	for seat, name := range replay.Agents {
		if name == "" {
			replay.Agents[seat] = game.Players[seat]
		}
	}
	replay.Title = fmt.Sprintf("%s: %s, %d to %d", number, strings.Join(replay.Agents[:], " against "), replay.Goals[0], replay.Goals[1])
	return replay
}
