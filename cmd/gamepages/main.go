// Gamepages writes docs/games: a page per game with rules, pictures, solved values, the shipped agent's card and a sample
// game with comments. It also writes README.md's pictures and its table of games.
//
//	go generate ./cmd/gamepages
//
// Run it after a change of rules, diagrams or shipped agents; the package's test fails if the pages are not current. What
// takes minutes, the values of first moves and the sample games, is kept in the folder data. It is computed again for games
// whose shipped agent has changed, and for those named by -study.
//
//	go run ./cmd/gamepages -root . -study quad-5x5,hex
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

//go:generate go run . -root ../..

func main() {
	root := flag.String("root", "../..", "the repository")
	again := flag.String("study", "", "pages whose values and sample game to compute again, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := update(ctx, *root, strings.Split(*again, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "gamepages:", err)
		os.Exit(1)
	}
}

// update brings the data up to date and writes all files.
func update(ctx context.Context, root string, again []string) error {
	data := filepath.Join(root, filepath.FromSlash(dataFolder))
	for i := range pages {
		if err := studyPage(ctx, data, &pages[i], again); err != nil {
			return fmt.Errorf("%s: %w", pages[i].name, err)
		}
	}
	files, err := render(root)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(pictureFolder))); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		if err != nil {
			return err
		}
	}
	return nil
}

// Folders in the repository.
const (
	dataFolder    = "cmd/gamepages/data"
	pagesFolder   = "docs/games"
	pictureFolder = "docs/games/pictures"
)

// render returns the content of every file that depends on the program and on the data, by its path in the repository.
func render(root string) (map[string]string, error) {
	files := make(map[string]string)
	data := filepath.Join(root, filepath.FromSlash(dataFolder))
	for i := range pages {
		if err := renderPage(files, data, &pages[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", pages[i].name, err)
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	return files, renderOverview(files, data, string(readme))
}
