package web

import (
	"context"
	"errors"
	"net/http"

	"ludus/cmd/ludus/internal/watch"
)

// runRoutes serves the runs below the folder of runs. Requests name a run as the list does. Nothing here takes a run's
// lock or writes to it.
func (s *Server) runRoutes() {
	s.get("/api/runs", func(r *http.Request) (any, error) { return s.watcher.List(r.Context(), nil) })
	s.stream("/api/runs/events", s.streamList)
	s.get("/api/run", func(r *http.Request) (any, error) {
		view, err := s.watcher.View(r.Context(), r.FormValue("name"), nil)
		return view, watchError(err)
	})
	s.stream("/api/run/events", s.streamView)
	s.get("/api/run/games", s.selfPlayGames)
	s.get("/api/run/matches", s.recordedMatches)
}

// streamList sends the list of runs as an event "list", now and after every change.
func (s *Server) streamList(ctx context.Context, _ *http.Request, send func(string, any) error) error {
	var list *watch.List
	for {
		next, err := s.watcher.List(ctx, list)
		if err == nil {
			err = send("list", next)
		}
		if err != nil {
			return err
		}
		list = next
	}
}

// streamView sends a run's view as an event "view", now and after every change.
func (s *Server) streamView(ctx context.Context, r *http.Request, send func(string, any) error) error {
	var view *watch.View
	for {
		next, err := s.watcher.View(ctx, r.FormValue("name"), view)
		if err == nil {
			err = send("view", next)
		}
		if err != nil {
			return watchError(err)
		}
		view = next
	}
}

// watchError turns errors of the watcher into HTTP errors.
func watchError(err error) error {
	switch {
	case errors.Is(err, watch.ErrUnknown):
		return httpErrorf(http.StatusNotFound, "%v", err)
	case errors.Is(err, watch.ErrBusy):
		return busyf("%v", err)
	}
	return err
}
