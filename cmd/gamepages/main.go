package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
)

//go:generate go run .

// Paths: the first two from this folder, in which go generate and go test run, the others from root.
const (
	root          = "../.."
	samplesFile   = "data/games.json"
	pagesFolder   = "docs/games"
	pictureFolder = "docs/games/pictures"
)

func main() {
	if err := update(); err != nil {
		log.Fatal("gamepages: ", err)
	}
}

// update plays the missing sample games and writes all files.
func update() error {
	if err := playSamples(); err != nil {
		return err
	}
	files, err := render()
	if err != nil {
		return err
	}
	pictures := filepath.Join(root, pictureFolder)
	err = errors.Join(os.RemoveAll(pictures), os.MkdirAll(pictures, 0o755))
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	return err
}

// page is a page about a game that has a shipped agent, itself or in another size.
type page struct {
	names []string // names of the games; the first is the page's own
}

func (p *page) name() string { return p.names[0] }

// title returns a heading such as "Quad 5x5".
func (p *page) title() string { return capital(strings.ReplaceAll(p.name(), "-", " ")) }

// card returns the card of the agent that plays the sample game; nil if none is shipped.
func (p *page) card() *zoo.Card {
	for _, name := range p.names {
		if card := zoo.CardOf(name); card != nil {
			return card
		}
	}
	return nil
}

// pages lists the pages. A game that differs from an earlier one only in size, such as hex-5x5 from hex, shares its
// page. It leaves out pages of which no game has a shipped agent.
func pages() (list []page) {
	for _, name := range games.Names() {
		game, _ := games.New(name)
		i := slices.IndexFunc(list, func(p page) bool {
			other, _ := games.New(p.name())
			return game.Family == other.Family && game.Summary == other.Summary
		})
		switch {
		case i < 0:
			list = append(list, page{[]string{name}})
		case zoo.CardOf(name) != nil:
			list[i].names = append(list[i].names, name)
		}
	}
	return slices.DeleteFunc(list, func(p page) bool { return p.card() == nil })
}

// render returns the content of every generated file, by its path in the repository.
func render() (map[string]string, error) {
	files := make(map[string]string)
	samples, err := readSamples()
	if err != nil {
		return nil, err
	}
	for _, p := range pages() {
		if err := renderPage(files, &p, samples[p.name()]); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name(), err)
		}
	}
	return files, renderOverview(files)
}
