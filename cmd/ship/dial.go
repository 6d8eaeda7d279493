package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
)

// measureDials measures the dials of the agents in a folder, named by their games with commas between, and writes their
// cards.
func measureDials(ctx context.Context, o *options, names, folder string) error {
	list := strings.Split(names, ",")
	if names == "all" {
		list = zoo.Games()
	}
	for _, name := range list {
		game, err := games.New(name)
		if err != nil {
			return err
		}
		card, err := readCard(folder, game.Name)
		if err != nil {
			return err
		}
		file, err := os.ReadFile(filepath.Join(folder, game.Name+zoo.WeightsExtension))
		if err != nil {
			return err
		}
		m := &measurement{options: o, game: game, file: file, card: card}
		if err := m.measureDial(ctx); err != nil {
			return err
		}
		if err := writeCard(folder, card); err != nil {
			return err
		}
	}
	return nil
}

// measureDial measures the dial and the rating of the network, and checks the dial.
func (m *measurement) measureDial(ctx context.Context) error {
	o := ratings.DialOptions{
		Game: m.game, Load: agent.WithShipped(m.game, m.file, nil, nil), Within: ratings.DialWithin,
		Balance: match.NewBalanceChecker(m.game), Threads: m.threads,
	}
	if err := m.beginPool(&o, "dial"); err != nil {
		return err
	}
	dial, table, err := ratings.MeasureDial(ctx, o)
	if err != nil {
		return err
	}
	m.noteRatings(table)
	m.card.Dial = &zoo.Dial{
		Command: "go run ./cmd/ship -dial " + m.game.Name, Games: table.Games, Checks: []zoo.DialCheck{},
	}
	for _, s := range dial {
		m.card.Dial.Strengths = append(m.card.Dial.Strengths, zoo.Strength(s))
	}
	full := table.Agents[slices.IndexFunc(table.Agents, func(a rundir.Rating) bool { return a.Agent == agent.Zoo })]
	m.card.Rating = &zoo.Rating{
		Estimate: zoo.Estimate{Value: full.Rating, Low: full.Low, High: full.High}, Simulations: agent.DefaultSimulations,
	}
	o.Load = agent.WithShipped(m.game, m.file, dial, nil)
	claimed, err := json.Marshal(dial)
	if err != nil {
		return err
	}
	if err := m.beginPool(&o, "check", claimed...); err != nil {
		return err
	}
	claims, table, err := ratings.CheckDial(ctx, o, dial)
	if err != nil {
		return err
	}
	m.noteRatings(table)
	m.card.Dial.CheckGames = table.Games
	for _, c := range claims {
		r := zoo.Estimate{Value: c.Rating.Rating, Low: c.Rating.Low, High: c.Rating.High}
		m.card.Dial.Checks = append(m.card.Dial.Checks, zoo.DialCheck{Elo: c.Elo, Rating: r})
	}
	return nil
}

// beginPool sets where a pool keeps its matches and how it reports progress. Its agents depend on key.
func (m *measurement) beginPool(o *ratings.DialOptions, name string, key ...byte) error {
	games := 0
	o.Progress = func(p ratings.Progress) {
		if p.Games == 0 || p.Games >= games+5000 {
			games = p.Games
			m.note(fmt.Sprintf("%s, %s: %d games, widest interval ±%.0f Elo", m.game.Name, name, p.Games, p.Widest))
		}
	}
	if m.matches == "" {
		return nil
	}
	o.Dir = m.folder(name, key...)
	return os.MkdirAll(o.Dir, 0o777)
}

// folder returns the folder that keeps a pool's matches. Pools of other weights or with another key have other folders.
func (m *measurement) folder(name string, key ...byte) string {
	return filepath.Join(m.matches, fmt.Sprintf("%s-%s-%.8x", m.game.Name, name, sha256.Sum256(slices.Concat(m.file, key))))
}

// noteRatings shows a pool's ratings.
func (m *measurement) noteRatings(table *rundir.Ratings) {
	for _, a := range table.Agents {
		m.note(fmt.Sprintf("%s: %s %.0f (%.0f to %.0f), %d games", m.game.Name, a.Agent, a.Rating, a.Low, a.High, a.Games))
	}
	m.note(fmt.Sprintf("%s: %d games; results of pairs differ from the ratings by %.0f Elo beyond chance", m.game.Name, table.Games,
		table.Intransitivity))
}
