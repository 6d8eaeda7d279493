package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// shipment is a network to ship, or to measure again, with its card.
type shipment struct {
	run       string // reference of the network to ship
	commit    string // git commit of the program that trained it
	cores     int    // number of cores that trained it
	certify   string // options of the agent to certify; "" for none
	opponents []string
	games     int    // games against each opponent
	folder    string // folder with the shipped agents

	game    *env.Game
	config  *rundir.Config   // of the run
	metrics []rundir.Metrics // of the run, until the network was trained
	file    []byte           // weights in half precision
	card    *zoo.Card
}

func main() {
	log.SetPrefix("ship: ")
	s := &shipment{folder: "checkpoints/zoo", opponents: []string{"mcts:1000", "mcts:10000", "alphabeta:3"}, games: 200}
	flag.StringVar(&s.run, "run", "", "RUN[@GENERATION|@best]: the network to ship")
	flag.StringVar(&s.commit, "commit", "", "the commit of the program that trained it, in hexadecimal")
	flag.IntVar(&s.cores, "cores", 2, "the cores that trained it")
	flag.StringVar(&s.certify, "certify", "",
		"try to prove that the agent zoo with these options gives no value away, such as solve=500000")
	curve := flag.Bool("curve", false, "add the run to the card of its game's agent instead of shipping its network")
	dial := flag.String("dial", "", "measure only the strength dial of this game's agent")
	flag.Parse()
	if *dial != "" {
		s.remeasureDial(*dial)
		return
	}
	check(s.readRun())
	if *curve {
		s.addToCurve()
	} else {
		s.ship()
	}
}

// check ends the program if there is an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// must returns x, or ends the program if there is an error.
func must[T any](x T, err error) T {
	check(err)
	return x
}

// dialCells is the size of the largest boards whose agents get a strength dial: its 40,000 games take hours on larger
// ones.
const dialCells = 64

// ship writes both files of an agent. The new card keeps the recorded trainings of the old one.
func (s *shipment) ship() {
	if old, err := s.readCard(); !errors.Is(err, fs.ErrNotExist) {
		check(err)
		s.card.Curve, s.card.Losses = old.Curve, old.Losses
	}
	s.testSuites()
	s.playMatches()
	s.certifyAgent()
	if s.game.Tensor.Cells() <= dialCells {
		s.measureDial()
	}
	check(checkpoints.WriteFile(s.path(zoo.WeightsExtension), s.file))
	s.writeCard(s.card)
}

// remeasureDial measures the strength dial of a game's shipped agent again.
func (s *shipment) remeasureDial(name string) {
	s.game = must(games.New(name))
	s.card, s.file = must(s.readCard()), must(os.ReadFile(s.path(zoo.WeightsExtension)))
	s.measureDial()
	s.writeCard(s.card)
}

// path returns the path of one of the agent's files.
func (s *shipment) path(ext string) string { return filepath.Join(s.folder, s.game.Name+ext) }

// readCard reads the card of the game's shipped agent.
func (s *shipment) readCard() (*zoo.Card, error) {
	card := new(zoo.Card)
	data, err := os.ReadFile(s.path(zoo.CardExtension))
	if err == nil {
		err = json.Unmarshal(data, card)
	}
	return card, err
}

// writeCard writes a card as indented JSON, with each list of numbers on one line.
func (s *shipment) writeCard(card *zoo.Card) {
	numbers := regexp.MustCompile(`\[[-\d.,\s]+\]`)
	text := numbers.ReplaceAllFunc(must(json.MarshalIndent(card, "", "  ")), func(list []byte) []byte {
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	})
	check(checkpoints.WriteFile(s.path(zoo.CardExtension), append(text, '\n')))
}

// readRun reads the run and the network to ship, and begins its card. It returns an error if the run cannot be shipped.
func (s *shipment) readRun() error {
	if !zoo.CommitPattern.MatchString(s.commit) {
		return fmt.Errorf("-commit %q: name a commit by at least 7 hexadecimal digits", s.commit)
	}
	reference := agent.ParseReference(s.run)
	weights, origin, err := rundir.LoadWeights(reference)
	if err != nil {
		return err
	}
	s.config = must(rundir.ReadConfig(reference.Path))
	if s.config.From != "" || s.config.Import != nil || s.config.Plan.Resumed > 0 {
		return fmt.Errorf("%s: it was extended or did not start from random weights; train it with one command", s.run)
	}
	s.game = must(games.New(s.config.Game))
	if s.metrics, _, err = rundir.MetricsFile.Read(reference.Path); err != nil {
		return err
	}
	s.metrics = s.metrics[:1+slices.IndexFunc(s.metrics,
		func(m rundir.Metrics) bool { return m.Generation == origin.Generation })]
	if len(s.metrics) == 0 {
		return fmt.Errorf("%s: its metrics lack generation %d", s.run, origin.Generation)
	}
	s.file = weights.MarshalHalf()
	s.card = &zoo.Card{
		Game: s.game.Name, Training: s.describe(), Matches: []zoo.MatchResult{}, Weaknesses: []string{},
		Network: zoo.Network{
			Channels: weights.Config.Channels, Blocks: weights.Config.Blocks, Parameters: weights.Parameters(),
			Bytes: len(s.file), SHA256: fmt.Sprintf("%x", sha256.Sum256(s.file)),
		},
	}
	ended := must(os.Stat(filepath.Join(reference.Path, rundir.MetricsFile.Name))).ModTime()
	s.card.Training.Date = ended.UTC().Format(time.DateOnly)
	return nil
}

// describe describes how the network was trained, without the date.
func (s *shipment) describe() zoo.Training {
	p, m := &s.config.Plan, &s.metrics[len(s.metrics)-1]
	seconds := m.RunSeconds
	if p.CPU { // the run may have shared the machine
		seconds = m.CPUSeconds / float64(s.cores)
	}
	return zoo.Training{
		Command: s.command(), Seed: s.config.Seed, Commit: s.commit, Cores: s.cores, Seconds: math.Round(seconds),
		CPUSeconds: math.Round(m.CPUSeconds), Generation: m.Generation, Generations: p.Last(), Games: m.TotalGames,
	}
}

// command returns the command that trains the run again.
func (s *shipment) command() string {
	option, length := s.config.Plan.LengthOption()
	command := fmt.Sprintf("ludus train %s %s %s --seed %d", s.game.Name, option, length, s.config.Seed)
	plain := rundir.DefaultSettings(s.game)
	changed := s.config.Settings.Changed(plain)
	if share := s.config.Settings.RatingShare; share != plain.RatingShare {
		changed = append(changed, fmt.Sprintf("rating_share=%v", share))
	}
	for _, c := range changed {
		command += " --set " + c
	}
	return command
}

// addToCurve adds the results of a training with default settings to the card of its game's agent: the losses and, if
// the game has a suite, a point of the curve, with the run's totals (positions, samples, seconds) and its network's
// errors in the suite. They replace those of the same command.
func (s *shipment) addToCurve() {
	trained, card := must(s.trained()), must(s.readCard())
	addLosses(card, s.losses())
	if positions, ok := suite.Shipped(s.game); ok {
		trained.Alone = rounded(zoo.Estimate(s.test(positions, "policy:zoo", 0).Error))
		trained.Search = rounded(zoo.Estimate(s.test(positions, "zoo", 0).Error))
		card.Curve = slices.DeleteFunc(card.Curve, func(old zoo.Trained) bool { return old.Command == trained.Command })
		card.Curve = append(card.Curve, *trained)
		slices.SortStableFunc(card.Curve, func(a, b zoo.Trained) int { return cmp.Compare(a.Positions, b.Positions) })
	}
	s.writeCard(card)
}

// trained returns the totals of a run, without its errors. The run must be finished and have the default settings
// (except rating_share).
func (s *shipment) trained() (*zoo.Trained, error) {
	settings := &s.config.Settings
	if changed := settings.Changed(rundir.DefaultSettings(s.game)); len(changed) > 0 {
		return nil, fmt.Errorf("%s is no plain training: it has other settings (%s)", s.run, strings.Join(changed, ", "))
	}
	if n := len(s.metrics); n == 0 || s.metrics[n-1].Generation < s.config.Plan.Last() || s.metrics[n-1].Steps == 0 {
		return nil, fmt.Errorf("%s is not finished, or not its last generation", s.run)
	}
	t := s.describe()
	trained := &zoo.Trained{
		Command: t.Command, Commit: t.Commit, Cores: t.Cores, Seconds: t.Seconds, Channels: settings.Channels,
		Blocks: settings.Blocks, Games: t.Games, SamplesPerPosition: settings.SamplesPerPosition,
	}
	for _, m := range s.metrics {
		trained.Positions, trained.Samples = trained.Positions+m.Positions, m.Steps*settings.BatchSize
	}
	return trained, nil
}

// addLosses adds losses to a card. They replace those of the same command.
func addLosses(card *zoo.Card, l zoo.Losses) {
	card.Losses = slices.DeleteFunc(card.Losses, func(old zoo.Losses) bool { return old.Command == l.Command })
	card.Losses = append(card.Losses, l)
	slices.SortStableFunc(card.Losses, func(a, b zoo.Losses) int {
		return cmp.Compare(slices.Max(a.Samples), slices.Max(b.Samples))
	})
}

// losses returns the run's loss curve: means over groups of generations, rounded. A mean of 0 says that its group has
// no measurement of that loss. Losses fall fastest at first, so early groups are small: the n-th group ends at (n /
// groups)² of all training steps.
func (s *shipment) losses() zoo.Losses {
	const groups = 20
	l := zoo.Losses{Command: s.command(), Commit: s.commit, SamplesPerPosition: s.config.Settings.SamplesPerPosition}
	lists := []*[]float64{&l.Policy, &l.ValidationPolicy, &l.Outcome, &l.ValidationOutcome, &l.Entropy}
	var sum, count [groups + 1][6]float64 // by group, 1 to groups, and entry of lists; entry 5 is for steps
	for _, m := range s.metrics {
		n := int(math.Ceil(groups * math.Sqrt(float64(m.Steps)/float64(s.metrics[len(s.metrics)-1].Steps))))
		for k, x := range []float64{m.PolicyLoss, m.ValidationPolicyLoss, m.OutcomeLoss, m.ValidationOutcomeLoss,
			m.PolicyEntropy, float64(m.Steps)} {
			if m.Steps > 0 && x > 0 {
				sum[n][k], count[n][k] = sum[n][k]+x, count[n][k]+1
			}
		}
	}
	for n := range sum {
		if count[n][5] == 0 {
			continue
		}
		l.Samples = append(l.Samples, int(sum[n][5]/count[n][5]*float64(s.config.Settings.BatchSize)))
		for k, list := range lists {
			*list = append(*list, round(sum[n][k]/max(1, count[n][k])))
		}
	}
	return l
}
