package web

import (
	"net/http"
	"strconv"

	"ludus/cmd/ludus/internal/sheet"
)

// sheetRoutes registers the handlers for checks of the watched sheet, and for random games of it.
func (s *Server) sheetRoutes() {
	s.get("/api/sheet", func(*http.Request) (any, error) { return s.sheet.Latest(), nil })
	s.get("/api/sheet/game", func(r *http.Request) (any, error) {
		seed, err := strconv.ParseUint(r.FormValue("seed"), 10, 64)
		if err != nil {
			return nil, httpErrorf(http.StatusBadRequest, "seed must be a whole number from 0 to 18446744073709551615")
		}
		game := s.sheet.Game(r.FormValue("name"))
		if game == nil {
			return nil, httpErrorf(http.StatusNotFound, "the sheet has changed, or makes no game")
		}
		return sheet.RandomGame(game, seed), nil
	})
}
