package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// bounds are the most that an agent may do for a move here.
var bounds = agent.Limits{Simulations: 20_000, Depth: 8, Nodes: 1_000_000, Time: 10 * time.Second}

// about is what a page has to know of the server.
type about struct {
	Games  []string    `json:"games"` // short names; others may be asked for as well
	Runs   string      `json:"runs"`  // folder of runs, as it was given
	Limits aboutLimits `json:"limits"`
}

type aboutLimits struct {
	Simulations int     `json:"simulations"`
	Depth       int     `json:"depth"`
	Nodes       int     `json:"nodes"`
	Seconds     float64 `json:"seconds"` // of time=D
}

// boardRoutes serves what package board answers.
func (s *Server) boardRoutes() {
	s.get("/api/about", func(*http.Request) (any, error) {
		return about{games.Names(), s.runs, aboutLimits{bounds.Simulations, bounds.Depth, bounds.Nodes, bounds.Time.Seconds()}}, nil
	})
	for _, op := range board.Operations() {
		s.mux.HandleFunc("POST /api/"+op, func(w http.ResponseWriter, r *http.Request) {
			s.reply(w, r, func() (any, error) { return s.answer(w, r, op) })
		})
	}
}

// answer reads a question and has it answered.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, op string) (any, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, refused(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refused(http.StatusRequestTimeout, "the request did not arrive whole within %v", s.limits.read)
	case err != nil:
		return nil, refused(http.StatusBadRequest, "the request did not arrive whole: %v", err)
	}
	// A search may take longer than a request to arrive, and its client is not gone by then.
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	host := board.Host{
		Game:           s.games.find,
		MaxSimulations: bounds.Simulations,
		Agent: func(ctx context.Context, game *env.Game, text string) (agent.Agent, func(), error) {
			leave, err := s.searches.enter(ctx)
			if err != nil {
				return nil, nil, err
			}
			lent := false
			defer func() {
				if !lent { // for an error, or a panic
					leave()
				}
			}()
			agent, back, err := s.agents.lend(game, text)
			if err != nil {
				return nil, nil, err
			}
			lent = true
			deadline := time.AfterFunc(s.limits.search, func() {
				cancel(refused(http.StatusUnprocessableEntity,
					"the search did not end within %v; ask for fewer simulations, nodes or plies", s.limits.search))
			})
			return agent, func() { deadline.Stop(); back(); leave() }, nil
		},
	}
	reply, err := host.Answer(ctx, op, body)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return reply, err
}

// gallery finds games by name. Each one that was ever made stays in memory, so that their number is bounded.
type gallery struct {
	mu    sync.Mutex
	most  int
	known map[string]*env.Game // by canonical name
}

func newGallery(most int) *gallery { return &gallery{most: most, known: map[string]*env.Game{}} }

// find returns a game, whose name may be written in any way as long as few have been asked for.
func (g *gallery) find(name string) (*env.Game, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if game := g.known[name]; game != nil {
		return game, nil
	}
	if len(g.known) >= g.most && !slices.Contains(games.Names(), name) {
		return nil, refused(http.StatusTooManyRequests,
			"%d different games have been asked for, and no more are made; those and the ones with short names are played", g.most)
	}
	game, err := games.New(name)
	if err != nil {
		return nil, err
	}
	g.known[game.Name] = game
	return game, nil
}
