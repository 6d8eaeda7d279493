package page

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
)

//go:embed review.html
var reviewHTML string

// reviewPages is made when it is first needed, so that other commands start faster.
var reviewPages = sync.OnceValue(func() *static.OneFile {
	return static.NewOneFile(reviewHTML, static.Styles("uplot/uPlot.min.css", "base.css", "board.css", "charts.css", "report.css"),
		static.UPlot(), static.Inline("reviewpage.js"))
})

// reviewedGame is a game on the page of reviews.
type reviewedGame struct {
	Replay *board.Replay    `json:"replay"`
	Review *analysis.Review `json:"review"`
}

// Reviews returns a page with reviews of games, at least one, as one file that loads nothing from elsewhere: people
// choose a game and step through its positions.
func Reviews(game *env.Game, reviews []*analysis.Review) ([]byte, error) {
	if len(reviews) == 0 {
		return nil, errors.New("there is no game to show on a page")
	}
	var games []reviewedGame
	for i, r := range reviews {
		games = append(games, reviewedGame{replay(game, r, fmt.Sprint(i+1)), r})
	}
	return reviewPages().HTML("Reviews of "+game.Name, map[string]string{"Agent": reviews[0].Agent},
		map[string]any{"description": board.Describe(game), "games": games})
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
