package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/exploit"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/suite"
)

// measurement measures the strength of a network, as the agent zoo of its game, and records it on a card.
type measurement struct {
	*options
	game *env.Game
	file []byte       // weights file
	load agent.Loader // loads the network as zoo, without a dial
	card *zoo.Card
}

func newMeasurement(o *options, game *env.Game, file []byte, card *zoo.Card) *measurement {
	return &measurement{options: o, game: game, file: file, load: shipped.FileLoader(game, file, nil), card: card}
}

// measure returns the weights file of the network to ship, in half precision, and its card.
func measure(ctx context.Context, o *options, t *training, weights *infer.Weights, generation int) ([]byte, *zoo.Card, error) {
	file := weights.MarshalHalf()
	if len(file) > zoo.MaxBytes {
		return nil, nil, fmt.Errorf("%s: the file has %d bytes; at most %d are shipped", o.run, len(file), zoo.MaxBytes)
	}
	described, err := t.describe(generation)
	if err != nil {
		return nil, nil, err
	}
	m := newMeasurement(o, t.game, file, &zoo.Card{
		Game: t.game.Name, Training: described, Matches: []zoo.MatchResult{}, Weaknesses: slices.Concat([]string{}, o.weaknesses),
		Network: zoo.Network{
			Channels: weights.Config.Channels, Blocks: weights.Config.Blocks, Parameters: weights.Parameters(),
			Bytes: len(file), SHA256: fmt.Sprintf("%x", sha256.Sum256(file)),
		},
	})
	for _, step := range []func(context.Context) error{m.testSuites, m.playMatches, m.certifyAgent, m.setFloors, m.measureDial} {
		if err := step(ctx); err != nil {
			return nil, nil, err
		}
	}
	return file, m.card, nil
}

// testSuites measures the agent's errors on the game's suites.
func (m *measurement) testSuites(ctx context.Context) error {
	for _, s := range []struct {
		name string
		find func(*env.Game) (*suite.Suite, bool)
	}{{"shipped", suite.Shipped}, {"hard", suite.ShippedHard}} {
		positions, ok := s.find(m.game)
		if !ok {
			continue
		}
		for _, spec := range []string{"policy:zoo", "zoo"} {
			result, err := m.test(ctx, positions, spec, 0)
			if err != nil {
				return err
			}
			m.card.Errors = append(m.card.Errors, zoo.SuiteError{
				Command: fmt.Sprintf("ludus suite --check %s %s %s", s.name, m.game.Name, spec),
				Suite:   s.name, Agent: spec, Positions: result.Positions, Error: rounded(result.Error.Value, result.Error.Low, result.Error.High),
			})
			m.note(fmt.Sprintf("%s, %s suite: %.2f %% of moves lose value", spec, s.name, 100*result.Error.Value))
		}
	}
	return nil
}

// test tests an agent on n positions of a suite; 0: all.
func (m *measurement) test(ctx context.Context, s *suite.Suite, spec string, n int) (suite.Result, error) {
	factory, err := agent.ParseFactory(m.game, spec, m.load)
	if err != nil {
		return suite.Result{}, err
	}
	return s.Test(ctx, factory, suite.TestOptions{Threads: m.threads, Seed: 1, Positions: n})
}

// playMatches measures the agent's score against the opponents.
func (m *measurement) playMatches(ctx context.Context) error {
	for _, opponent := range m.opponents {
		r, err := m.play(ctx, opponent, m.games)
		if err != nil {
			return err
		}
		m.card.Matches = append(m.card.Matches, zoo.MatchResult{
			Command: fmt.Sprintf("ludus arena %s zoo %s --games %d", m.game.Name, opponent, m.games), Agent: agent.Zoo, Opponent: opponent,
			Games: r.Games, Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Score: rounded(r.Score, r.Low, r.High),
		})
		m.note(fmt.Sprintf("zoo against %s: %d wins, %d draws, %d losses", opponent, r.Wins, r.Draws, r.Losses))
	}
	return nil
}

// play plays a match of zoo against an opponent, with the defaults of "ludus arena".
func (m *measurement) play(ctx context.Context, opponent string, games int) (match.Result, error) {
	config := match.Config{Game: m.game, Games: games, Seed: 1, OpeningPlies: 2, Threads: m.threads}
	var err error
	if config.A, err = agent.ParseFactory(m.game, agent.Zoo, m.load); err != nil {
		return match.Result{}, err
	}
	if config.B, err = agent.ParseFactory(m.game, opponent, m.load); err != nil {
		return match.Result{}, err
	}
	return match.Run(ctx, config)
}

// certifyAgent walks every reply to the agent, as "ludus exploit" does but with a higher limit of positions, and records
// the result.
func (m *measurement) certifyAgent(ctx context.Context) error {
	if m.certify == "" {
		return nil
	}
	factory, err := agent.ParseFactory(m.game, agent.Zoo+","+m.certify, m.load)
	if err != nil {
		return err
	}
	const positions = 4_000_000
	r, err := exploit.Walk(ctx, exploit.Options{
		Agent: factory, Positions: positions, Nodes: 2_000_000, Memory: 512 << 20, Threads: m.threads, Seed: 1,
	})
	if err != nil {
		return err
	}
	m.note(fmt.Sprintf("%v: %d positions, %d faults, complete: %t", factory, r.Positions, len(r.Faults), r.Complete))
	if r.Complete && len(r.Faults) == 0 {
		m.card.Certificate = &zoo.Certificate{
			Command: fmt.Sprintf("ludus exploit %s %v --positions %d", m.game.Name, factory, positions),
			Agent:   factory.String(), Positions: r.Positions,
		}
	}
	return nil
}

// Sizes of the tests for [zoo.Floors]: some seconds per game on one core.
const (
	floorPositions = 1000
	floorOpponent  = "mcts:1000"
	floorGames     = 40
)

// setFloors takes the measurements of the test of package zoo and records floors a little below them.
func (m *measurement) setFloors(ctx context.Context) error {
	f := &m.card.Floors
	if positions, ok := suite.Shipped(m.game); ok {
		for _, test := range []struct {
			spec  string
			floor *float64
		}{{"policy:zoo", &f.PolicyError}, {"zoo", &f.SearchError}} {
			result, err := m.test(ctx, positions, test.spec, floorPositions)
			if err != nil {
				return err
			}
			f.Positions = result.Positions
			faults := math.Round(result.Error.Value * float64(result.Positions))
			*test.floor = round((faults + 2 + math.Ceil(faults/10)) / float64(result.Positions))
		}
	}
	f.Opponent, f.Games = floorOpponent, floorGames
	r, err := m.play(ctx, f.Opponent, f.Games)
	f.Score = max(0, math.Floor(100*(r.Score-0.1))/100)
	return err
}

// measureDial measures the dial and the rating of the network, and checks the dial in other games.
func (m *measurement) measureDial(ctx context.Context) error {
	shown := 0 // games at the last progress note
	o := ratings.DialOptions{
		Game: m.game, Load: m.load, Within: ratings.DialWithin, Balance: match.NewBalanceChecker(m.game), Threads: m.threads,
		Progress: func(p ratings.Progress) {
			if p.Games == 0 || p.Games >= shown+5000 {
				shown = p.Games
				m.note(fmt.Sprintf("%s, dial: %d games, widest interval ±%.0f Elo", m.game.Name, p.Games, p.Widest))
			}
		},
	}
	dial, table, err := ratings.MeasureDial(ctx, o)
	if err != nil {
		return err
	}
	d := &zoo.Dial{Command: "go run ./cmd/ship -dial " + m.game.Name, Games: table.Games, Checks: []zoo.DialCheck{}}
	for _, s := range dial {
		d.Strengths = append(d.Strengths, zoo.Strength(s))
	}
	full := table.Agents[slices.IndexFunc(table.Agents, func(a rundir.Rating) bool { return a.Agent == agent.Zoo })]
	o.Load = shipped.FileLoader(m.game, m.file, dial)
	claims, table, err := ratings.CheckDial(ctx, o, dial)
	if err != nil {
		return err
	}
	d.CheckGames = table.Games
	for _, c := range claims {
		r := zoo.Estimate{Value: c.Rating.Rating, Low: c.Rating.Low, High: c.Rating.High}
		d.Checks = append(d.Checks, zoo.DialCheck{Elo: c.Elo, Rating: r})
		m.note(fmt.Sprintf("%s: elo=%d is rated %.0f (%.0f to %.0f)", m.game.Name, c.Elo, r.Value, r.Low, r.High))
	}
	m.card.Dial = d
	m.card.Rating = &zoo.Rating{
		Estimate: zoo.Estimate{Value: full.Rating, Low: full.Low, High: full.High}, Simulations: agent.DefaultSimulations,
	}
	return nil
}

// rounded returns an estimate with its numbers rounded to 4 decimals.
func rounded(value, low, high float64) zoo.Estimate {
	return zoo.Estimate{Value: round(value), Low: round(low), High: round(high)}
}

func round(x float64) float64 { return math.Round(1e4*x) / 1e4 }
