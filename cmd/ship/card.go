package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/exploit"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// options say what to ship and what to measure.
type options struct {
	run        string       // reference of the network
	training   zoo.Training // the part that the run does not know
	opponents  string       // specs, separated by commas
	games      int          // against each opponent
	certify    string       // options of the agent to prove free of faults; "" for none
	weaknesses []string
	matches    string // folder that keeps the matches of the dial; "" for none
	threads    int
	note       func(text string) // shows progress
}

// measurement measures the strength of a network as the agent zoo of its game.
type measurement struct {
	*options
	game *env.Game
	file []byte // the weights
	load agent.Loader
	card *zoo.Card
}

// measure returns the weights file of the network to ship, in half precision, and its card.
func measure(ctx context.Context, o *options) (file []byte, card *zoo.Card, err error) {
	reference := rundir.ParseReference(o.run)
	weights, origin, err := rundir.LoadWeights(reference)
	if err != nil {
		return nil, nil, err
	}
	game, err := games.New(weights.Config.Game)
	if err != nil {
		return nil, nil, err
	}
	if file = weights.MarshalHalf(); len(file) > zoo.MaxBytes {
		return nil, nil, fmt.Errorf("%s: the file has %d bytes; at most %d are shipped", o.run, len(file), zoo.MaxBytes)
	}
	m := &measurement{options: o, game: game, file: file, load: agent.WithShipped(game, file, nil, nil)}
	m.card = &zoo.Card{Game: game.Name, Matches: []zoo.MatchResult{}, Weaknesses: []string{}, Network: zoo.Network{
		Channels: weights.Config.Channels, Blocks: weights.Config.Blocks, Parameters: weights.Parameters(),
		Bytes: len(file), SHA256: fmt.Sprintf("%x", sha256.Sum256(file)),
	}}
	if err := m.describeTraining(reference.Path, origin.Generation); err != nil {
		return nil, nil, err
	}
	for _, step := range []func(context.Context) error{m.testSuites, m.playMatches, m.certifyAgent, m.setFloors, m.measureDial} {
		if err := step(ctx); err != nil {
			return nil, nil, err
		}
	}
	m.card.Weaknesses = append(m.card.Weaknesses, o.weaknesses...)
	return file, m.card, nil
}

// describeTraining fills in how the network was trained, from the files of its run.
func (m *measurement) describeTraining(dir string, generation int) error {
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		return fmt.Errorf("%w; name a run, or RUN@GENERATION", err)
	}
	metrics, _, err := rundir.MetricsFile.Read(dir)
	if err != nil {
		return err
	}
	t := m.training
	if t.Command, err = commandOf(m.game, config); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	t.Seed, t.Generation, t.Generations = config.Seed, generation, config.Plan.Last()
	found := false
	for _, g := range metrics {
		if g.Generation == generation {
			found, t.Seconds, t.CPUSeconds, t.Games = true, trainingSeconds(config, &g, t.Cores), math.Round(g.CPUSeconds), g.TotalGames
		}
	}
	if !found {
		return fmt.Errorf("%s: its metrics lack generation %d", dir, generation)
	}
	if t.Date == "" {
		info, err := os.Stat(filepath.Join(dir, rundir.MetricsFile.Name))
		if err != nil {
			return err
		}
		t.Date = info.ModTime().UTC().Format(time.DateOnly)
	}
	m.card.Training = t
	return nil
}

// trainingSeconds returns how long a run took on its cores until a generation ended. A run with a plan of CPU time may have
// shared the machine, so its time is CPU time per core rather than the clock's.
func trainingSeconds(config *rundir.Config, g *rundir.Metrics, cores int) float64 {
	if config.Plan.CPU {
		return math.Round(g.CPUSeconds / float64(cores))
	}
	return math.Round(g.RunSeconds)
}

// agentOf returns the factory of a spec, which may be zoo.
func (m *measurement) agentOf(spec string) (*agent.Factory, error) {
	return agent.ParseFactory(m.game, spec, m.load)
}

// testSuites measures the errors on the game's suites, and notes the kind of positions with the most errors.
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
			if s.name == "shipped" && spec == "zoo" {
				m.noteWorst(result.ByPliesToEnd)
			}
		}
	}
	return nil
}

// test tests an agent on n positions of a suite; 0: all.
func (m *measurement) test(ctx context.Context, s *suite.Suite, spec string, n int) (suite.Result, error) {
	factory, err := m.agentOf(spec)
	if err != nil {
		return suite.Result{}, err
	}
	return s.Test(ctx, factory, suite.TestOptions{Threads: m.threads, Seed: 1, Positions: n})
}

// noteWorst adds the positions with the most errors to the weaknesses.
func (m *measurement) noteWorst(groups []suite.Group) {
	var worst *suite.Group
	for i := range groups {
		if g := &groups[i]; g.Reliable() && (worst == nil || g.Error.Value > worst.Error.Value) {
			worst = g
		}
	}
	if worst != nil && worst.Error.Value*float64(worst.Positions) > 2.5 { // fewer errors show no weakness
		m.card.Weaknesses = append(m.card.Weaknesses, fmt.Sprintf("with 64 simulations it errs most in positions %s plies before "+
			"the end of the game: %.1f %% of moves lose value (%d positions)", worst.Name, 100*worst.Error.Value, worst.Positions))
	}
}

// playMatches plays against the opponents.
func (m *measurement) playMatches(ctx context.Context) error {
	for opponent := range strings.SplitSeq(m.opponents, ",") {
		r, err := m.play(ctx, opponent, m.games)
		if err != nil {
			return err
		}
		m.card.Matches = append(m.card.Matches, zoo.MatchResult{
			Command: fmt.Sprintf("ludus arena %s zoo %s --games %d", m.game.Name, opponent, m.games), Agent: "zoo", Opponent: opponent,
			Games: r.Games, Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Score: rounded(r.Score, r.Low, r.High),
		})
		m.note(fmt.Sprintf("zoo against %s: %d wins, %d draws, %d losses", opponent, r.Wins, r.Draws, r.Losses))
		if r.Losses > 0 {
			m.card.Weaknesses = append(m.card.Weaknesses, fmt.Sprintf("it lost %d of %d games against %s", r.Losses, r.Games, opponent))
		}
	}
	return nil
}

// play plays a match of zoo as "ludus arena" does by default.
func (m *measurement) play(ctx context.Context, opponent string, games int) (match.Result, error) {
	config := match.Config{Game: m.game, Games: games, Seed: 1, OpeningPlies: 2, Threads: m.threads}
	var err error
	if config.A, err = m.agentOf("zoo"); err != nil {
		return match.Result{}, err
	}
	if config.B, err = m.agentOf(opponent); err != nil {
		return match.Result{}, err
	}
	return match.Run(ctx, config)
}

// certifyAgent walks every reply to the agent, with the defaults of "ludus exploit" but for more positions.
func (m *measurement) certifyAgent(ctx context.Context) error {
	if m.certify == "" {
		return nil
	}
	factory, err := m.agentOf("zoo," + m.certify)
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

// rounded returns an estimate with its numbers rounded to 4 decimals.
func rounded(value, low, high float64) zoo.Estimate {
	return zoo.Estimate{Value: round(value), Low: round(low), High: round(high)}
}

func round(x float64) float64 { return math.Round(1e4*x) / 1e4 }

// Sizes of the test of [zoo.Floors]: some seconds per game on one core.
const (
	floorPositions = 1000
	floorOpponent  = "mcts:1000"
	floorGames     = 40
)

// setFloors measures what the test of package zoo measures, and leaves room for rounding.
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
			errors := math.Round(result.Error.Value * float64(result.Positions))
			*test.floor = round((errors + 2 + math.Ceil(errors/10)) / float64(result.Positions))
		}
	}
	f.Opponent, f.Games = floorOpponent, floorGames
	r, err := m.play(ctx, f.Opponent, f.Games)
	f.Score = max(0, math.Floor(100*(r.Score-0.1))/100)
	return err
}
