package web

import (
	"context"
	"net/http"

	"ludus/train/doctor"
)

// diagnoseRun returns the diagnosis of the run named by a request. It waits for its turn like a search, because a diagnosis
// takes a core for about a second.
func (s *Server) diagnoseRun(r *http.Request) (any, error) {
	_, dir, err := s.findRun(r.FormValue("name"))
	if err != nil {
		return nil, err
	}
	release, err := s.searches.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.limits.search,
		httpErrorf(http.StatusUnprocessableEntity, "the diagnosis took longer than %v; run ludus doctor", s.limits.search))
	defer cancel()
	run, err := doctor.Read(ctx, dir)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	return doctor.Diagnose(run), nil
}
