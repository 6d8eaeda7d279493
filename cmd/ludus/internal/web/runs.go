package web

import (
	"net/http"

	"ludus/cmd/ludus/internal/watch"
)

// runRoutes serves the runs below the folder of runs. Requests name a run as the list does. Nothing here takes a run's
// lock or writes to it.
func (s *Server) runRoutes() {
	follow(s, "/api/runs", "list", func(r *http.Request, seen *watch.List) (*watch.List, error) {
		return s.watcher.List(r.Context(), seen)
	})
	follow(s, "/api/run", "view", func(r *http.Request, seen *watch.View) (*watch.View, error) {
		return s.watcher.View(r.Context(), r.FormValue("name"), seen)
	})
	s.get("/api/run/games", s.selfPlayGames)
	s.get("/api/run/matches", s.recordedMatches)
}
