package web

import (
	"context"
	"errors"
	"net/http"

	"ludus/cmd/ludus/internal/watch"
)

// runRoutes serves what there is to see of runs. A run is asked for by its name in the list; no other folder is read. Nothing
// here takes a run's lock or writes into it.
func (s *Server) runRoutes() {
	s.get("/api/runs", func(r *http.Request) (any, error) { return s.watcher.List(r.Context(), nil) })
	s.stream("/api/runs/events", s.tellList)
	s.get("/api/run", func(r *http.Request) (any, error) {
		view, err := s.watcher.View(r.Context(), r.FormValue("name"), nil)
		return view, asRefusal(err)
	})
	s.stream("/api/run/events", s.tellRun)
	s.get("/api/run/games", s.selfPlay)
	s.get("/api/run/matches", s.recorded)
}

// tellList sends the list of runs, as an event "list", now and whenever it changes.
func (s *Server) tellList(ctx context.Context, _ *http.Request, send func(string, any) error) error {
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

// tellRun sends a run's view, as an event "view", and then what changes of it, as events "change"; "view" again where that
// takes fewer words.
func (s *Server) tellRun(ctx context.Context, r *http.Request, send func(string, any) error) error {
	var view *watch.View
	for {
		next, err := s.watcher.View(ctx, r.FormValue("name"), view)
		if err != nil {
			return asRefusal(err)
		}
		var change *watch.Change
		if view != nil {
			change = next.Since(view)
		}
		if change != nil {
			err = send("change", change)
		} else {
			err = send("view", next)
		}
		if err != nil {
			return err
		}
		view = next
	}
}

// asRefusal turns the watcher's errors into answers.
func asRefusal(err error) error {
	switch {
	case errors.Is(err, watch.ErrUnknown):
		return refused(http.StatusNotFound, "%v", err)
	case errors.Is(err, watch.ErrBusy):
		return busy("%v", err)
	}
	return err
}
