// Ship makes the network of a run the shipped agent of its game: it writes the weights in half precision and the card
// with the measured strength into checkpoints/zoo. It takes minutes.
//
//	go run ./cmd/ship -run runs/quad-5x5@best -commit 1a2b3c4
//
// The command that trained it is read from the run. Everything else is measured on the rounded weights, with the seed and
// the defaults of the commands that the card names, so these commands give the card's numbers again.
//
// With -dial it measures the strength dials of the shipped agents of some games and writes them to the cards.
//
//	go run ./cmd/ship -dial quad-5x5,golden-rectangle
//
// With -curve it leaves the agent alone and adds the run, which must be a plain training, to the curve on the card. "ludus
// train --dry-run" shows this curve. The errors are those of the run's last generation, without rounding. It needs
// the matches of the shipped agent's dial (-dial GAME -matches DIR), whose agents are the run's opponents.
//
//	go run ./cmd/ship -curve -run runs/quad-5x5 -commit 1a2b3c4 -matches DIR
//
// With -losses it adds only the losses of such a training to the card, in a second. "ludus doctor" shows them beside those of
// a run. -curve, and shipping a plain training, add them, too.
//
//	go run ./cmd/ship -losses -run runs/quad-5x5 -commit 1a2b3c4
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

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
)

func main() {
	var o options
	flag.StringVar(&o.run, "run", "", "RUN[@GENERATION|@best]: the network to ship")
	flag.StringVar(&o.training.Commit, "commit", "", "the commit of the program that trained it, in hexadecimal")
	flag.StringVar(&o.training.Date, "date", "", "the day on which the run ended, YYYY-MM-DD (default: by the run's files)")
	flag.IntVar(&o.training.Cores, "cores", 2, "the cores that trained it")
	flag.StringVar(&o.opponents, "opponents", "mcts:1000,mcts:10000,alphabeta:3", "baselines to play against")
	flag.IntVar(&o.games, "games", 200, "games against each")
	flag.StringVar(&o.certify, "certify", "", "try to prove that the agent zoo with these options gives no value away, such as solve=500000")
	flag.Func("weakness", "a known weakness, a sentence; may be repeated", func(text string) error {
		o.weaknesses = append(o.weaknesses, text)
		return nil
	})
	flag.IntVar(&o.threads, "threads", runtime.GOMAXPROCS(0), "cores to use")
	folder := flag.String("out", "checkpoints/zoo", "folder to write to")
	curve := flag.Bool("curve", false, "add the run to the curve on its game's card instead of shipping its network")
	losses := flag.Bool("losses", false, "add only the losses of the run to its game's card")
	flag.StringVar(&o.matches, "matches", "", "folder that keeps the finished matches of strength dials; a stopped measurement continues")
	dial := flag.String("dial", "", "measure only the strength dials of the agents of these games: GAME,GAME… or all")
	flag.Parse()
	o.note = func(text string) { fmt.Fprintln(os.Stderr, text) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := ship
	switch {
	case *curve:
		do = addToCurve
	case *losses:
		do = addLosses
	case *dial != "":
		do = func(ctx context.Context, o *options, folder string) error { return measureDials(ctx, o, *dial, folder) }
	}
	if err := do(ctx, &o, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "ship:", err)
		os.Exit(1)
	}
}

// ship writes both files of an agent.
func ship(ctx context.Context, o *options, folder string) error {
	if err := o.checkNames(); err != nil {
		return err
	}
	file, card, err := measure(ctx, o)
	if err != nil {
		return err
	}
	old, err := readCard(folder, card.Game)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	card.Curve, card.Losses = old.Curve, old.Losses
	if err := shipLosses(card, o); err != nil {
		return err
	}
	if err := checkpoints.WriteFile(filepath.Join(folder, card.Game+zoo.WeightsExtension), file); err != nil {
		return err
	}
	o.note("then refresh the game's page: go generate ./cmd/gamepages")
	return writeCard(folder, card)
}

// checkNames returns an error unless the options name a run and a commit.
func (o *options) checkNames() error {
	if o.run == "" {
		return errors.New("-run is missing; see -help")
	}
	if !zoo.CommitPattern.MatchString(o.training.Commit) {
		return fmt.Errorf("-commit %q: name a commit by at least 7 hexadecimal digits", o.training.Commit)
	}
	return nil
}

// readCard reads the card of a game. After an error it returns an empty one.
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

// numberList matches a list of numbers, which a card has in one line.
var numberList = regexp.MustCompile(`\[[-\d.,\s]+\]`)

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
