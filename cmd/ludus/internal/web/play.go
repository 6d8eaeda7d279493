package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/shipped"
)

// agentLimits limit the work per move that an agent's spec may ask for.
var agentLimits = agent.Limits{
	Simulations: 20_000, Depth: 8, Nodes: 1_000_000, Time: 10 * time.Second,
	Threads: min(runtime.GOMAXPROCS(0), agent.MaxThreads),
}

// about is the reply to /api/about: what a page needs to know about the server.
type about struct {
	Games []string `json:"games"` // short names; games of other sizes work too
	// Summaries describe each of Games in a few words.
	Summaries map[string]string `json:"summaries"`
	Patterns  []pattern         `json:"patterns"`
	// Zoo holds the rating, in Elo, of each game's shipped agent; 0 if it has none.
	Zoo map[string]float64 `json:"zoo"`
	// TrainedOn names the game whose shipped agent plays the requested game; "" if there is none, or no game was
	// requested.
	TrainedOn string      `json:"trained_on,omitempty"`
	Runs      string      `json:"runs"` // folder of runs, as in Options
	Limits    aboutLimits `json:"limits"`
}

type aboutLimits struct {
	Simulations int     `json:"simulations"`
	Depth       int     `json:"depth"`
	Nodes       int     `json:"nodes"`
	Seconds     float64 `json:"seconds"` // limit of the option time=D
}

// pattern shows how to write the names of a family's games.
type pattern struct {
	Sizes    string `json:"sizes"`    // all parameters with their ranges, such as hex(size=2..19,swap=0..1)
	Defaults string `json:"defaults"` // all parameters with their defaults, such as hex(size=11,swap=1)
}

// boardRoutes registers /api/about, which tells the pages what this server offers (games, ratings of their shipped
// agents, limits of agents, the folder of runs), and POST /api/OPERATION for each operation of package board.
func (s *Server) boardRoutes() {
	s.get("/api/about", func(r *http.Request) (any, error) {
		l := &agentLimits
		reply := about{
			Games: games.Names(), Summaries: make(map[string]string), Zoo: make(map[string]float64), Runs: s.runs,
			Limits: aboutLimits{l.Simulations, l.Depth, l.Nodes, l.Time.Seconds()},
		}
		for _, name := range reply.Games {
			game, err := games.New(name)
			if err != nil {
				return nil, err
			}
			reply.Summaries[name] = game.Summary
		}
		for _, name := range zoo.Games() {
			reply.Zoo[name] = 0
			if rating := zoo.CardOf(name).Rating; rating != nil {
				reply.Zoo[name] = rating.Value
			}
		}
		if game, err := games.Find(r.URL.Query().Get("game")); err == nil {
			if trained := shipped.TrainedOn(game); trained != nil {
				reply.TrainedOn = trained.Name
			}
		}
		for _, f := range games.Families() {
			reply.Patterns = append(reply.Patterns, pattern{f.Pattern(), f.Defaults()})
		}
		return reply, nil
	})
	for _, op := range board.Operations() {
		s.handle("POST", "/api/"+op, func(w http.ResponseWriter, r *http.Request) {
			s.reply(w, r, func() (any, error) { return s.answer(w, r, op) })
		})
	}
}

// answer replies to a request for operation op of package board. A search first waits for its turn.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, op string) (any, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, httpErrorf(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, httpErrorf(http.StatusRequestTimeout, "the request did not arrive completely within %v", s.limits.read)
	case err != nil:
		return nil, httpErrorf(http.StatusBadRequest, "the request did not arrive completely: %v", err)
	}
	// The read timeout limits only the request's arrival; the search may take longer.
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	host := board.Host{
		Game:           s.findGame,
		MaxSimulations: agentLimits.Simulations,
		Book:           s.agents.readBook,
		Agent: func(ctx context.Context, game *env.Game, text string) (agent.Agent, func(), error) {
			release, err := s.searches.acquire(ctx)
			if err != nil {
				return nil, nil, err
			}
			running := false
			defer func() {
				if !running { // also after an error or a panic
					release()
				}
			}()
			agent, putBack, err := s.agents.get(game, text)
			if err != nil {
				return nil, nil, err
			}
			running = true
			deadline := time.AfterFunc(s.limits.search, func() {
				cancel(httpErrorf(http.StatusUnprocessableEntity,
					"the search took longer than %v; use fewer simulations, nodes or plies", s.limits.search))
			})
			return agent, func() { deadline.Stop(); putBack(); release() }, nil
		},
	}
	reply, err := host.Answer(ctx, op, body)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return reply, err
}

// findGame returns a game by name: the game of the watched sheet, or another one.
func (s *Server) findGame(name string) (*env.Game, error) {
	if s.sheet != nil {
		if game := s.sheet.Game(name); game != nil {
			return game, nil
		}
	}
	return s.games.find(name)
}

// gameCache creates games by name and keeps a limited number of them. Games with a short name are always available.
type gameCache struct {
	mu    sync.Mutex
	limit int
	games map[string]*env.Game // by canonical name
}

func newGameCache(limit int) *gameCache {
	return &gameCache{limit: limit, games: map[string]*env.Game{}}
}

// find returns a game by name, from the cache if possible. It refuses further names when the cache is full.
func (g *gameCache) find(name string) (*env.Game, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if game := g.games[name]; game != nil {
		return game, nil
	}
	if len(g.games) >= g.limit && !slices.Contains(games.Names(), name) {
		return nil, httpErrorf(http.StatusTooManyRequests,
			"the server already holds %d different games, its limit; use one of those or a game with a short name", g.limit)
	}
	game, err := games.Find(name)
	if err != nil {
		return nil, err
	}
	g.games[game.Name] = game
	return game, nil
}
