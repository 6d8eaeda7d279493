package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env/games"
)

// TestLines appends lines and reads them back. Damaged lines are warnings, and a torn last line is ignored.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	if lines, warnings, err := MetricsFile.Read(dir); lines != nil || warnings != nil || err != nil {
		t.Errorf("no file: %v, %v, %v", lines, warnings, err)
	}
	want := []Metrics{{Generation: 1, Games: 3}, {Generation: 2, Games: 5}}
	for i := range want {
		if err := MetricsFile.Append(dir, &want[i]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, MetricsFile.Name)
	appendText(t, path, "[]\n{\"generation\":3}\n{\"genera")
	lines, warnings, err := MetricsFile.Read(dir)
	if err != nil || !reflect.DeepEqual(lines, append(want, Metrics{Generation: 3})) {
		t.Errorf("lines %+v, error %v", lines, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), path+": line 3:") {
		t.Errorf("warnings %v", warnings)
	}
	appendText(t, filepath.Join(dir, MatchesFile.Name), `{"games":-1}`+"\n"+`{"games":2,"seconds":1e300}`+"\n"+`{"sides":[{},{"void":{"lost":-1}}]}`+"\n")
	if matches, warnings, err := MatchesFile.Read(dir); len(matches) > 0 || len(warnings) != 3 || err != nil {
		t.Errorf("impossible matches: %+v, %v, %v", matches, warnings, err)
	}
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestConfigFile writes and reads config.json.
func TestConfigFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadConfig(dir); !errors.Is(err, fs.ErrNotExist) || Is(dir) {
		t.Errorf("an empty directory: %v", err)
	}
	game := games.Must("quad-5x5")
	c := NewConfig(game.Name, 3, DefaultSettings(game))
	c.Plan = Plan{Generations: 9, ParallelGames: 16, PliesPerGeneration: 2, Stopped: 7}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadConfig(dir); err != nil || !reflect.DeepEqual(back, c) || back.Plan.Last() != 7 || !Is(dir) {
		t.Errorf("config %+v, %v; want %+v", back, err, c)
	}
	c.Game = "gomoku" // an older file
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadConfig(dir); err != nil || back.Game != "gomoku-9x9" {
		t.Errorf("a run of gomoku is one of %s, %v", back.Game, err)
	}
}

// TestLocked: a run is locked as long as its writer has not released it.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	if Locked(dir) {
		t.Error("a run without lock is locked")
	}
	release, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); !errors.Is(err, checkpoints.ErrLocked) || !Locked(dir) {
		t.Errorf("a second lock: %v", err)
	}
	release()
	if Locked(dir) {
		t.Error("a released run is locked")
	}
}

// TestGamesGenerations ignores other files.
func TestGamesGenerations(t *testing.T) {
	dir := t.TempDir()
	if generations, err := GamesGenerations(dir); len(generations) > 0 || err != nil {
		t.Errorf("no games: %v, %v", generations, err)
	}
	for _, path := range []string{GamesPath(dir, 12), GamesPath(dir, 3), GamesPath(dir, 1_234_567), filepath.Join(dir, "games", "7.games"), filepath.Join(dir, "games", "x")} {
		if err := checkpoints.MkdirAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, nil)
	}
	if generations, err := GamesGenerations(dir); !slices.Equal(generations, []int{3, 12, 1_234_567}) || err != nil {
		t.Errorf("generations %v, %v", generations, err)
	}
}
