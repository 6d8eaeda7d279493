package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/report"
	"ludus/env"
	"ludus/train/record"
	"ludus/train/rundir"
)

// maxFileReads is the number of requests that may read the files of runs at once; each may take some megabytes of memory.
const maxFileReads = 2

// openRun finds the directory and the game of the run named by a request. The caller may then read the run's files, and
// calls release when done.
func (s *Server) openRun(r *http.Request) (dir string, game *env.Game, release func(), err error) {
	run, dir, err := s.findRun(r.FormValue("name"))
	if err != nil {
		return "", nil, nil, err
	}
	game, err = s.games.find(run.Game)
	if err != nil {
		return "", nil, nil, err
	}
	release, err = s.fileReads.acquire(r.Context())
	return dir, game, release, err
}

// queryNumber reads an optional whole number from a request's query.
func queryNumber(r *http.Request, key string) (n int, given bool, err error) {
	text := r.FormValue(key)
	if text == "" {
		return 0, false, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, true, httpErrorf(http.StatusBadRequest, "%s must be a whole number from 0, not %q", key, text)
	}
	return n, true, nil
}

// gameList lists the games of a generation.
type gameList struct {
	Players [2]string     `json:"players"` // in the order of Goals
	Games   []gameSummary `json:"games"`
}

type gameSummary struct {
	Number int    `json:"number"`
	Board  string `json:"board,omitempty"` // such as "7x7", if the run trains several
	Plies  int    `json:"plies"`
	Goals  [2]int `json:"goals"` // by seat
}

// selfPlayGames answers at three levels: it lists the generations with self-play games, the games of one generation
// (&generation=G), or returns one game (&game=N).
func (s *Server) selfPlayGames(r *http.Request) (any, error) {
	dir, game, release, err := s.openRun(r)
	if err != nil {
		return nil, err
	}
	defer release()
	generation, given, err := queryNumber(r, "generation")
	if err != nil {
		return nil, err
	}
	if !given {
		generations, err := rundir.GamesGenerations(dir)
		return map[string]any{"generations": append([]int{}, generations...)}, err
	}
	played, first, err := record.Read(game, dir, generation)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, httpErrorf(http.StatusNotFound, "the run keeps no games of generation %d", generation)
	}
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	number, given, err := queryNumber(r, "game")
	if err != nil {
		return nil, err
	}
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	list := gameList{Players: game.Players, Games: []gameSummary{}}
	for i, p := range played {
		if given && first+i == number {
			return report.SelfPlayReplay(p, generation), nil
		}
		g := gameSummary{Number: first + i, Plies: p.Length(), Goals: p.Goals}
		if config.Settings.Sizes != 0 {
			g.Board = fmt.Sprintf("%dx%[1]d", p.Game.Tensor.W)
		}
		list.Games = append(list.Games, g)
	}
	if given {
		return nil, httpErrorf(http.StatusNotFound, "there is no game %d in generation %d", number, generation)
	}
	return list, nil
}

// asNotFound turns errors about missing or damaged files of a run into 404 errors that do not show the run's path. It
// returns other errors unchanged.
func asNotFound(err error, dir string) error {
	for _, known := range []error{fs.ErrNotExist, checkpoints.ErrDamaged, checkpoints.ErrVersion} {
		if errors.Is(err, known) {
			return httpErrorf(http.StatusNotFound, "%s", strings.ReplaceAll(err.Error(), dir, filepath.Base(dir)))
		}
	}
	return err
}
