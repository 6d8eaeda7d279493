package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/report"
	"ludus/env"
	"ludus/train/match"
	"ludus/train/record"
	"ludus/train/rundir"
)

// maxFileReads is the number of requests that may read the files of runs at once; each may take some megabytes of memory.
const maxFileReads = 2

// openRun finds the directory and the game of the run named by a request. The caller may then read the run's files, and
// calls release when done.
func (s *Server) openRun(r *http.Request) (dir string, game *env.Game, release func(), err error) {
	run, dir, err := s.findRun(r, r.FormValue("name"))
	if err != nil {
		return "", nil, nil, err
	}
	if game, err = s.games.find(run.Game); err != nil {
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
	if n, err = strconv.Atoi(text); err != nil || n < 0 {
		return 0, true, httpErrorf(http.StatusBadRequest, "%s must be a whole number from 0, not %q", key, text)
	}
	return n, true, nil
}

// gameList lists the games of a generation or of a match.
type gameList struct {
	Players [2]string     `json:"players"` // in the order of Goals
	Games   []gameSummary `json:"games"`
}

type gameSummary struct {
	Number int    `json:"number"`
	Plies  int    `json:"plies"`
	Goals  [2]int `json:"goals"`           // by seat
	First  string `json:"first,omitempty"` // in a match: the agent that moved first
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
	var games []savedGame
	for i, p := range played {
		games = append(games, savedGame{
			summary: gameSummary{Number: first + i, Plies: p.Length(), Goals: p.Goals},
			replay:  func() (*board.Replay, error) { return report.SelfPlayReplay(game, p, generation), nil },
		})
	}
	return listOrReplay(r, game, games, fmt.Sprintf("generation %d", generation))
}

// savedGame is a game in a file of a run.
type savedGame struct {
	summary gameSummary
	replay  func() (*board.Replay, error)
}

// listOrReplay lists the games of a file or, if the request names one (&game=N), returns its replay.
func listOrReplay(r *http.Request, game *env.Game, games []savedGame, file string) (any, error) {
	number, given, err := queryNumber(r, "game")
	if err != nil {
		return nil, err
	}
	list := gameList{Players: game.Players, Games: []gameSummary{}}
	for _, g := range games {
		if given && g.summary.Number == number {
			return g.replay()
		}
		list.Games = append(list.Games, g.summary)
	}
	if given {
		return nil, httpErrorf(http.StatusNotFound, "there is no game %d in %s", number, file)
	}
	return list, nil
}

// asNotFound turns errors about missing or damaged files of a run into 404 errors that do not show the run's path. It
// returns other errors unchanged.
func asNotFound(err error, dir string) error {
	for _, known := range []error{fs.ErrNotExist, checkpoints.ErrDamaged, checkpoints.ErrVersion, match.ErrFile} {
		if errors.Is(err, known) {
			return httpErrorf(http.StatusNotFound, "%s", strings.ReplaceAll(err.Error(), dir, filepath.Base(dir)))
		}
	}
	return err
}

// matchSummary describes a match file in a run's directory.
type matchSummary struct {
	File  string `json:"file"`
	A     string `json:"a"`
	B     string `json:"b"`
	Games int    `json:"games"`
}

// maxRecords is the largest number of match files that are listed.
const maxRecords = 100

// recordedMatches answers at three levels: it lists the match files in the run's directory, the games of one file
// (&file=F), or returns one game (&game=N).
func (s *Server) recordedMatches(r *http.Request) (any, error) {
	dir, game, release, err := s.openRun(r)
	if err != nil {
		return nil, err
	}
	defer release()
	files, err := recordsIn(r.Context(), dir)
	if err != nil {
		return nil, err
	}
	name := r.FormValue("file")
	if name == "" {
		return listRecords(dir, game, files), nil
	}
	if !slices.Contains(files, name) {
		return nil, httpErrorf(http.StatusNotFound, "the run's folder has no recorded match %q", name)
	}
	record, err := match.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	if record.Game != game.Name {
		return nil, httpErrorf(http.StatusNotFound, "%s is a match of %s", name, record.Game)
	}
	var games []savedGame
	for _, g := range record.Games {
		agents, goals := bySeat(record, &g)
		games = append(games, savedGame{
			summary: gameSummary{Number: g.Number, Plies: len(g.Moves), Goals: goals, First: agents[0]},
			replay: func() (*board.Replay, error) {
				_, moves, err := env.ReplayText(game, g.Moves)
				if err != nil {
					return nil, httpErrorf(http.StatusNotFound, "game %d of the match is damaged: %v", g.Number, err)
				}
				replay := board.NewReplay(game, moves, nil)
				replay.Agents, replay.Goals = agents, goals
				return replay, nil
			},
		})
	}
	return listOrReplay(r, game, games, name)
}

// recordsIn lists the match files in a folder, at most maxRecords.
func recordsIn(ctx context.Context, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	var files []string
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e.Type().IsRegular() && len(files) < maxRecords && match.IsFile(filepath.Join(dir, e.Name())) {
			files = append(files, e.Name())
		}
	}
	return files, nil
}

// listRecords summarises the readable match files that are of the run's game.
func listRecords(dir string, game *env.Game, files []string) map[string][]matchSummary {
	list := []matchSummary{}
	for _, file := range files {
		if record, err := match.ReadFile(filepath.Join(dir, file)); err == nil && record.Game == game.Name {
			list = append(list, matchSummary{File: file, A: record.A, B: record.B, Games: len(record.Games)})
		}
	}
	return map[string][]matchSummary{"matches": list}
}

// bySeat returns the agents and goals of a game in the order of seats.
func bySeat(record *match.File, g *match.FileGame) (agents [2]string, goals [2]int) {
	if g.AFirst {
		return [2]string{record.A, record.B}, g.Goals
	}
	return [2]string{record.B, record.A}, [2]int{g.Goals[1], g.Goals[0]}
}
