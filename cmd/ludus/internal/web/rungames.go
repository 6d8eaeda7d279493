package web

import (
	"cmp"
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
	"ludus/cmd/ludus/internal/watch"
	"ludus/env"
	"ludus/train"
	"ludus/train/match"
	"ludus/train/rundir"
)

// reads bounds how many files of games are read at one time: each may take some megabytes of memory.
const reads = 2

// openRun finds the run that a request names, and its game. leave has to be called once its files have been read.
func (s *Server) openRun(r *http.Request) (dir string, game *env.Game, leave func(), err error) {
	run, err := s.watcher.Find(r.Context(), r.FormValue("name"))
	if err != nil {
		return "", nil, nil, asRefusal(err)
	}
	if run.State == watch.Broken || run.Game == "" {
		return "", nil, nil, refused(http.StatusNotFound, "the games of run %s cannot be read: %s", run.Name, run.Problem)
	}
	if game, err = s.games.find(run.Game); err != nil {
		return "", nil, nil, err
	}
	if dir, err = s.inside(run.Name); err != nil {
		return "", nil, nil, refused(http.StatusNotFound, "%v", err)
	}
	select {
	case s.reads <- struct{}{}:
		return dir, game, func() { <-s.reads }, nil
	case <-r.Context().Done():
		return "", nil, nil, r.Context().Err()
	}
}

// queryNumber reads a whole number that a request may have.
func queryNumber(r *http.Request, key string) (n int, given bool, err error) {
	text := r.FormValue(key)
	if text == "" {
		return 0, false, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n < 0 {
		return 0, true, refused(http.StatusBadRequest, "%s must be a whole number from 0, not %q", key, text)
	}
	return n, true, nil
}

// playedGames lists games.
type playedGames struct {
	Players [2]string    `json:"players"` // whose goals are told
	Games   []playedGame `json:"games"`
}

type playedGame struct {
	Number int    `json:"number"`
	Plies  int    `json:"plies"`
	Goals  [2]int `json:"goals"` // First's and Second's
	First  string `json:"first,omitempty"`
}

// replay is a game to step through.
type replay struct {
	Number int       `json:"number"`
	Agents [2]string `json:"agents"` // in First's and Second's seat
	Goals  [2]int    `json:"goals"`
	Steps  []step    `json:"steps"` // positions: one more than moves
}

// step is a position with the move that was played there, and what the search had found; the last one has no move.
type step struct {
	Player int      `json:"player"` // to move; -1 once the game is done
	Pieces string   `json:"pieces"` // see board.Pieces
	Status string   `json:"status"`
	WonBy  []int32  `json:"wonBy,omitempty"` // cells, see env.State
	Move   *choice  `json:"move,omitempty"`
	Random bool     `json:"random,omitempty"` // the move opened the game, before the search took over
	Value  *float64 `json:"value,omitempty"`  // for First
	Proven bool     `json:"proven,omitempty"`
	Policy []choice `json:"policy,omitempty"` // what the network was to learn, the most likely first
}

type choice struct {
	Move  string  `json:"move"`
	From  int32   `json:"from"` // cells, or -1
	To    int32   `json:"to"`
	Share float64 `json:"share,omitempty"`
}

// leastShare is the smallest share of a policy that is told.
const leastShare = 0.005

// selfPlay answers with the generations whose games there are, with the games of one (&generation=G), or with one of these
// (&game=N).
func (s *Server) selfPlay(r *http.Request) (any, error) {
	dir, game, leave, err := s.openRun(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	generation, given, err := queryNumber(r, "generation")
	if err != nil {
		return nil, err
	}
	if !given {
		generations, err := rundir.GamesGenerations(dir)
		return map[string]any{"generations": append([]int{}, generations...)}, err
	}
	played, err := train.ReadGames(game, dir, generation)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refused(http.StatusNotFound, "the run keeps no games of generation %d", generation)
	}
	if err != nil {
		return nil, unreadable(err, dir)
	}
	number, given, err := queryNumber(r, "game")
	if err != nil {
		return nil, err
	}
	if !given {
		list := playedGames{Players: game.Players, Games: []playedGame{}}
		for _, p := range played {
			list.Games = append(list.Games, playedGame{Number: p.Number, Plies: len(p.Moves), Goals: p.Goals})
		}
		return list, nil
	}
	i := slices.IndexFunc(played, func(p train.SelfPlayGame) bool { return p.Number == number })
	if i < 0 {
		return nil, refused(http.StatusNotFound, "no game %d ended in generation %d", number, generation)
	}
	return replayOf(game, &played[i], generation), nil
}

// unreadable says why a file of games or matches in the folder dir, which is not for others to know, cannot be shown.
func unreadable(err error, dir string) error {
	for _, known := range []error{fs.ErrNotExist, checkpoints.ErrDamaged, checkpoints.ErrVersion, match.ErrRecord} {
		if errors.Is(err, known) {
			return refused(http.StatusNotFound, "%s", strings.ReplaceAll(err.Error(), dir, filepath.Base(dir)))
		}
	}
	return err
}

// replayOf shows a game of self-play.
func replayOf(game *env.Game, p *train.SelfPlayGame, generation int) *replay {
	agent := fmt.Sprintf("generation %d", generation)
	shown := &replay{Number: p.Number, Agents: [2]string{agent, agent}, Goals: p.Goals, Steps: stepsOf(game, p.Moves)}
	state := game.NewState()
	var legal []env.Action
	for i, a := range p.Moves {
		if i < p.Opening {
			shown.Steps[i].Random = true
		} else {
			legal = state.Legal(legal[:0])
			shown.Steps[i].judge(game, legal, &p.Plies[i-p.Opening])
		}
		state.Apply(a)
	}
	return shown
}

// judge adds what the search found.
func (s *step) judge(game *env.Game, legal []env.Action, found *train.SearchedPly) {
	s.Value, s.Proven = new(found.Value), found.Proven
	for i, share := range found.Policy {
		if share >= leastShare {
			c := choiceOf(game, legal[i])
			c.Share = float64(share)
			s.Policy = append(s.Policy, c)
		}
	}
	slices.SortStableFunc(s.Policy, func(a, b choice) int { return cmp.Compare(b.Share, a.Share) })
}

func choiceOf(game *env.Game, a env.Action) choice {
	touch := game.Drawing.ActionCells[a]
	return choice{Move: game.ActionTexts[a], From: touch.From, To: touch.To}
}

// stepsOf are the positions of a game.
func stepsOf(game *env.Game, moves []env.Action) []step {
	steps := make([]step, 0, len(moves)+1)
	state := game.NewState()
	for i := 0; ; i++ {
		p := step{Player: int(state.Player()), Pieces: board.Pieces(state), Status: game.Status(state), WonBy: state.WinningCells(nil)}
		if i == len(moves) {
			if p.Player = -1; state.Done() {
				p.Value, p.Proven = new(float64(game.Classes[state.Outcome()].Utility)), true
			}
			return append(steps, p)
		}
		p.Move = new(choiceOf(game, moves[i]))
		steps = append(steps, p)
		state.Apply(moves[i])
	}
}

// record is a recorded match in a run's folder.
type record struct {
	File  string `json:"file"`
	A     string `json:"a"`
	B     string `json:"b"`
	Games int    `json:"games"`
}

// mostRecords bounds the records that are listed.
const mostRecords = 100

// recorded answers with the recorded matches in the run's folder, with the games of one (&file=F), or with one of these
// (&game=N).
func (s *Server) recorded(r *http.Request) (any, error) {
	dir, game, leave, err := s.openRun(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	files, err := recordsIn(r.Context(), dir)
	if err != nil {
		return nil, err
	}
	name := r.FormValue("file")
	if name == "" {
		return listRecords(dir, game, files), nil
	}
	if !slices.Contains(files, name) {
		return nil, refused(http.StatusNotFound, "the run's folder has no recorded match %q", name)
	}
	recorded, err := match.ReadRecord(filepath.Join(dir, name))
	if err != nil {
		return nil, unreadable(err, dir)
	}
	if recorded.Game != game.Name {
		return nil, refused(http.StatusNotFound, "%s is a match of %s", name, recorded.Game)
	}
	number, given, err := queryNumber(r, "game")
	if err != nil {
		return nil, err
	}
	if !given {
		return listMatch(recorded, game), nil
	}
	i := slices.IndexFunc(recorded.Games, func(g match.RecordedGame) bool { return g.Number == number })
	if i < 0 {
		return nil, refused(http.StatusNotFound, "%s has no game %d", name, number)
	}
	return replayOfMatch(game, recorded, &recorded.Games[i])
}

// recordsIn lists the files of a folder that hold recorded matches.
func recordsIn(ctx context.Context, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(err, dir)
	}
	var files []string
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e.Type().IsRegular() && len(files) < mostRecords && match.IsRecord(filepath.Join(dir, e.Name())) {
			files = append(files, e.Name())
		}
	}
	return files, nil
}

// listRecords tells of the matches of the run's game that can be read.
func listRecords(dir string, game *env.Game, files []string) map[string][]record {
	list := []record{}
	for _, file := range files {
		if recorded, err := match.ReadRecord(filepath.Join(dir, file)); err == nil && recorded.Game == game.Name {
			list = append(list, record{File: file, A: recorded.A, B: recorded.B, Games: len(recorded.Games)})
		}
	}
	return map[string][]record{"matches": list}
}

func listMatch(recorded *match.Record, game *env.Game) playedGames {
	list := playedGames{Players: game.Players, Games: []playedGame{}}
	for _, g := range recorded.Games {
		agents, goals := seated(recorded, &g)
		list.Games = append(list.Games, playedGame{Number: g.Number, Plies: len(g.Moves), Goals: goals, First: agents[0]})
	}
	return list
}

// seated are a game's agents and goals by seat.
func seated(recorded *match.Record, g *match.RecordedGame) (agents [2]string, goals [2]int) {
	if g.AFirst {
		return [2]string{recorded.A, recorded.B}, g.Goals
	}
	return [2]string{recorded.B, recorded.A}, [2]int{g.Goals[1], g.Goals[0]}
}

func replayOfMatch(game *env.Game, recorded *match.Record, g *match.RecordedGame) (*replay, error) {
	_, moves, err := match.Replay(game, g.Moves)
	if err != nil {
		return nil, refused(http.StatusNotFound, "game %d of the match is damaged: %v", g.Number, err)
	}
	shown := &replay{Number: g.Number, Steps: stepsOf(game, moves)}
	shown.Agents, shown.Goals = seated(recorded, g)
	return shown, nil
}
