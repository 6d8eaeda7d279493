package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
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

// A dial is measured in a pool with the baselines of "ludus rate", and checked in one with other baselines and seeds.
var checkBaselines = []string{ratings.Anchor, "mcts:30", "mcts:100", "mcts:500", "alphabeta:2"}

// Seeds of the two pools; runs have 0.
const (
	dialSeed  = 1
	checkSeed = 2
)

const (
	dialWithin = 30 // Elo to each side, of the intervals in both pools
	maxGames   = 40_000
	checks     = 5 // settings, spread evenly over the dial
)

// measureDials measures the dials of shipped agents, named by their games with commas between, and writes their cards.
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
		m := &measurement{options: o, game: game, file: zoo.Weights(game.Name), card: card}
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
	specs, strengths := slices.Clone(ratings.Baselines), agent.Strengths()
	for _, s := range slices.Backward(strengths) {
		specs = append(specs, s.Spec(agent.ZooSpec().Network).String())
	}
	balance := match.NewBalanceChecker(m.game)
	pool, err := m.rate(ctx, specs, len(ratings.Baselines), nil, dialSeed, balance)
	if err != nil {
		return err
	}
	var indices []int
	for _, s := range strengths {
		indices = append(indices, pool.Index(s.Spec(agent.ZooSpec().Network).String()))
	}
	dial, table := pool.Dial(indices), pool.Ratings()
	m.card.Dial = &zoo.Dial{Command: "go run ./cmd/ludus/internal/ship -dial " + m.game.Name, Games: table.Games}
	for _, s := range dial {
		m.card.Dial.Strengths = append(m.card.Dial.Strengths, zoo.Strength(s))
		m.note(fmt.Sprintf("%s: %d simulations at temperature %v: %.0f Elo (%.0f to %.0f)", m.game.Name, s.Simulations, s.Temperature, s.Rating, s.Low, s.High))
	}
	for _, a := range table.Agents {
		if a.Agent == agent.Zoo {
			m.card.Rating = &zoo.Rating{Estimate: zoo.Estimate{Value: a.Rating, Low: a.Low, High: a.High}, Simulations: agent.DefaultSimulations}
		}
		m.note(fmt.Sprintf("%s: %s %.0f (%.0f to %.0f), %d games", m.game.Name, a.Agent, a.Rating, a.Low, a.High, a.Games))
	}
	m.note(fmt.Sprintf("%s: %d games, intransitivity %.0f", m.game.Name, table.Games, table.Intransitivity))
	return m.checkDial(ctx, dial, balance)
}

// checkDial rates agents at some settings of the dial in another pool.
func (m *measurement) checkDial(ctx context.Context, dial agent.Dial, balance *match.BalanceChecker) error {
	low, high, ok := dial.Range()
	if !ok {
		return nil
	}
	specs := slices.Clone(checkBaselines)
	var claims []int
	for k := range checks {
		spec := agent.ZooSpec()
		spec.Elo = low + int(math.Round(float64(high-low)*(float64(k)+0.5)/checks))
		claims, specs = append(claims, spec.Elo), append(specs, spec.String())
	}
	pool, err := m.rate(ctx, specs, len(checkBaselines), dial, checkSeed, balance)
	if err != nil {
		return err
	}
	table := pool.Ratings()
	m.card.Dial.CheckGames = table.Games
	for k, elo := range claims {
		i := slices.IndexFunc(table.Agents, func(a rundir.Rating) bool { return a.Agent == specs[len(checkBaselines)+k] })
		a := table.Agents[i]
		m.card.Dial.Checks = append(m.card.Dial.Checks, zoo.DialCheck{Elo: elo, Rating: zoo.Estimate{Value: a.Rating, Low: a.Low, High: a.High}})
		m.note(fmt.Sprintf("%s: elo=%d is rated %.0f (%.0f to %.0f), %d games", m.game.Name, elo, a.Rating, a.Low, a.High, a.Games))
	}
	for _, a := range table.Agents {
		m.note(fmt.Sprintf("%s: check: %s %.0f (%.0f to %.0f), %d games", m.game.Name, a.Agent, a.Rating, a.Low, a.High, a.Games))
	}
	m.note(fmt.Sprintf("%s: check: %d games, intransitivity %.0f", m.game.Name, table.Games, table.Intransitivity))
	return nil
}

// rate rates the agents of specs, of which the first so many are baselines, until the intervals of the others are narrow.
func (m *measurement) rate(
	ctx context.Context, specs []string, baselines int, dial agent.Dial, seed uint64, balance *match.BalanceChecker,
) (*ratings.Pool, error) {
	dir := ""
	if m.matches != "" {
		dir = filepath.Join(m.matches, fmt.Sprintf("%s-%.8x-%d", m.game.Name, sha256.Sum256(m.file), seed))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	pool, err := ratings.NewPool(dir, m.game, specs, agent.WithShipped(m.game, m.file, dial, nil), seed, balance)
	if err != nil {
		return nil, err
	}
	var targets, players []int
	for i, spec := range specs {
		players = append(players, pool.Index(spec))
		if i >= baselines {
			targets = append(targets, pool.Index(spec))
		}
	}
	games := 0
	return pool, pool.Rate(ctx, ratings.Options{
		Targets: targets, Players: players, Within: dialWithin, MaxGames: maxGames, FixedCosts: true, Threads: m.threads,
		Progress: func(p ratings.Progress) {
			if p.Games >= 2*games+1000 || p.Left == 0 {
				games = p.Games
				m.note(fmt.Sprintf("%s: %d games, widest interval ±%.0f Elo", m.game.Name, p.Games, p.Widest))
			}
		},
	})
}
