package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// options select what to ship and what to measure.
type options struct {
	run        string // reference of the network to ship
	commit     string // git commit of the program that trained it
	cores      int    // number of cores that trained it
	opponents  []string
	games      int    // games against each opponent
	certify    string // options of the agent to certify; "" for none
	weaknesses []string
	folder     string // folder with the shipped agents
	threads    int
	note       func(text string) // shows progress
}

func main() {
	o := options{
		opponents: []string{"mcts:1000", "mcts:10000", "alphabeta:3"}, games: 200, folder: "checkpoints/zoo",
		threads: runtime.GOMAXPROCS(0), note: func(text string) { fmt.Fprintln(os.Stderr, text) },
	}
	flag.StringVar(&o.run, "run", "", "RUN[@GENERATION|@best]: the network to ship")
	flag.StringVar(&o.commit, "commit", "", "the commit of the program that trained it, in hexadecimal")
	flag.IntVar(&o.cores, "cores", 2, "the cores that trained it")
	flag.StringVar(&o.certify, "certify", "", "try to prove that the agent zoo with these options gives no value away, such as solve=500000")
	flag.Func("weakness", "a known weakness, a sentence; may be repeated", func(text string) error {
		o.weaknesses = append(o.weaknesses, text)
		return nil
	})
	curve := flag.Bool("curve", false, "add the run to the card of its game's agent instead of shipping its network")
	dial := flag.String("dial", "", "measure only the strength dials of the agents of these games: GAME,GAME…")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := ship
	switch {
	case *dial != "":
		do = func(ctx context.Context, o *options) error { return measureDials(ctx, o, strings.Split(*dial, ",")) }
	case *curve:
		do = addToCurve
	}
	if err := do(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "ship:", err)
		os.Exit(1)
	}
}

// ship writes both files of an agent. The new card keeps the recorded trainings of the old one.
func ship(ctx context.Context, o *options) error {
	t, err := o.readTraining()
	if err != nil {
		return err
	}
	weights, origin, err := rundir.LoadWeights(agent.ParseReference(o.run))
	if err != nil {
		return err
	}
	file, card, err := measure(ctx, o, t, weights, origin.Generation)
	if err != nil {
		return err
	}
	old, err := readCard(o.folder, card.Game)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	card.Curve, card.Losses = old.Curve, old.Losses
	if plain := t.plain(); plain == nil {
		addLosses(card, t.losses())
	} else {
		o.note(fmt.Sprintf("the card does not get the run's losses: %v", plain))
	}
	if err := checkpoints.WriteFile(filepath.Join(o.folder, card.Game+zoo.WeightsExtension), file); err != nil {
		return err
	}
	o.note("then refresh the game's page: go generate ./cmd/gamepages")
	return writeCard(o.folder, card)
}

// measureDials measures the strength dials of shipped agents again.
func measureDials(ctx context.Context, o *options, names []string) error {
	for _, name := range names {
		game, err := games.New(name)
		if err != nil {
			return err
		}
		card, err := readCard(o.folder, game.Name)
		if err != nil {
			return err
		}
		file, err := os.ReadFile(filepath.Join(o.folder, game.Name+zoo.WeightsExtension))
		if err != nil {
			return err
		}
		m := newMeasurement(o, game, file, card)
		if err := m.measureDial(ctx); err != nil {
			return err
		}
		if err := writeCard(o.folder, card); err != nil {
			return err
		}
	}
	return nil
}

// readCard reads the card of a game. With an error it returns an empty card.
func readCard(folder, game string) (*zoo.Card, error) {
	card, path := new(zoo.Card), filepath.Join(folder, game+zoo.CardExtension)
	data, err := os.ReadFile(path)
	if err != nil {
		return card, err
	}
	if err := json.Unmarshal(data, card); err != nil {
		return new(zoo.Card), fmt.Errorf("%s: %w", path, err)
	}
	return card, nil
}

// numberList matches a JSON list of numbers, which a card holds on one line.
var numberList = regexp.MustCompile(`\[[-\d.,\s]+\]`)

// writeCard writes a card as indented JSON, with each list of numbers on one line.
func writeCard(folder string, card *zoo.Card) error {
	text, err := json.MarshalIndent(card, "", "  ")
	if err != nil {
		return err
	}
	text = numberList.ReplaceAllFunc(text, func(list []byte) []byte {
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	})
	return checkpoints.WriteFile(filepath.Join(folder, card.Game+zoo.CardExtension), append(text, '\n'))
}
