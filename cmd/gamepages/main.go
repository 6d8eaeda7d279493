package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
)

//go:generate go run . -root ../..

func main() {
	root := flag.String("root", "../..", "the repository")
	again := flag.String("study", "", "pages whose sample game to play again, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := update(ctx, *root, strings.Split(*again, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "gamepages:", err)
		os.Exit(1)
	}
}

// Folders in the repository.
const (
	dataFolder    = "cmd/gamepages/data"
	pagesFolder   = "docs/games"
	pictureFolder = "docs/games/pictures"
)

// page is a page about one game, possibly with its other sizes.
type page struct {
	names []string // names of the games; the first is the page's own
}

func (p *page) name() string { return p.names[0] }

// title returns a heading such as "Quad 5x5".
func (p *page) title() string { return capital(strings.ReplaceAll(p.name(), "-", " ")) }

// pages lists the pages for all games of the program. A game whose name extends another's, such as hex-5x5 and hex, shares
// its page once it has a shipped agent.
func pages() (list []page) {
	for _, name := range games.Names() {
		extends := func(p page) bool { return strings.HasPrefix(name, p.name()+"-") }
		i := slices.IndexFunc(list, extends)
		switch {
		case i < 0:
			list = append(list, page{[]string{name}})
		case zoo.CardOf(name) != nil:
			list[i].names = append(list[i].names, name)
		}
	}
	return list
}

// update plays the missing sample games, and those of the pages in again, and writes all files.
func update(ctx context.Context, root string, again []string) error {
	for _, p := range pages() {
		if err := studyPage(ctx, filepath.Join(root, dataFolder), &p, slices.Contains(again, p.name())); err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
	}
	files, err := render(root)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(root, pictureFolder)); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		if err != nil {
			return err
		}
	}
	return nil
}

// render returns the content of every generated file, by its path in the repository. A new game gets no page until go
// generate has played its sample game.
func render(root string) (map[string]string, error) {
	files := make(map[string]string)
	var list []page
	for _, p := range pages() {
		err := renderPage(files, root, &p)
		switch {
		case err == nil:
			list = append(list, p)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: %w", p.name(), err)
		}
	}
	return files, renderOverview(files, root, list)
}
