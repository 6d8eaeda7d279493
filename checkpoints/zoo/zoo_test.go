package zoo_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/shipped"
	"ludus/train/suite"
)

// shippedGame returns a game of the zoo and the loader of its network.
func shippedGame(t *testing.T, name string) (*env.Game, agent.Loader) {
	t.Helper()
	game := games.Must(name)
	return game, shipped.FileLoader(game, zoo.Weights(name), nil)
}

func newFactory(t *testing.T, game *env.Game, spec string, load agent.Loader) *agent.Factory {
	t.Helper()
	f, err := agent.ParseFactory(game, spec, load)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFiles checks that every agent has both files, that its network fits its game, and that its card is of this file
// and complete.
func TestFiles(t *testing.T) {
	if len(zoo.Games()) == 0 {
		t.Fatal("no agent is shipped")
	}
	for _, name := range zoo.Games() {
		game, _ := shippedGame(t, name)
		if game.Name != name || naming.FileName(name) != name {
			t.Errorf("the files of %s must be named %s", game.Name, naming.FileName(game.Name))
		}
		file := zoo.Weights(name)
		weights, err := infer.Unmarshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := weights.Validate(game); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "gomoku-9x9" { // the file keeps its old name, because matches of old runs have its digest
			weights.Config.Game = "gomoku"
		}
		if len(file) > zoo.MaxBytes || !slices.Equal(file, weights.MarshalHalf()) {
			t.Errorf("%s: %d bytes; at most %d, in half precision, are shipped", name, len(file), zoo.MaxBytes)
		}
		card := zoo.CardOf(name)
		want := zoo.Network{
			Channels: weights.Config.Channels, Blocks: weights.Config.Blocks, Parameters: weights.Parameters(),
			Bytes: len(file), SHA256: fmt.Sprintf("%x", sha256.Sum256(file)),
		}
		if card == nil || card.Game != name || card.Network != want {
			t.Fatalf("%s: the card %+v is of another file; want %+v", name, card, want)
		}
		c := card.Training
		if c.Command == "" || !zoo.CommitPattern.MatchString(c.Commit) || c.Date == "" || c.Cores < 1 || c.Seconds <= 0 || c.Generation < 1 || len(card.Matches) == 0 {
			t.Errorf("%s: the card is not complete: %+v", name, c)
		}
		if card.Dial != nil { // nil if it was not measured
			checkDial(t, card)
		}
		if _, ok := suite.Shipped(game); ok && (card.Find("shipped", "zoo") == nil || card.Floors.Positions == 0) {
			t.Errorf("%s: the card has no errors on the shipped suite", name)
		}
		for _, l := range card.Losses {
			if l.SamplesPerPosition <= 0 {
				t.Errorf("%s: the losses of %q lack samples_per_position", name, l.Command)
			}
		}
		for _, r := range card.Curve {
			if r.SamplesPerPosition <= 0 {
				t.Errorf("%s: %q lacks samples_per_position", name, r.Command)
			}
			if e := card.Find("shipped", "zoo"); r.Search.High < e.Error.Value {
				t.Errorf("%s: %q trained a stronger network than the shipped one", name, r.Command)
			}
		}
		text, err := os.ReadFile(name + zoo.CardExtension)
		if err != nil {
			t.Fatal(err)
		}
		var indented bytes.Buffer // lists of numbers stand in one line of the file
		if err := json.Indent(&indented, text, "", "  "); err != nil {
			t.Fatal(err)
		}
		if again, err := json.MarshalIndent(card, "", "  "); err != nil || string(again)+"\n" != indented.String() {
			t.Errorf("%s: the card has keys that are not read", name)
		}
	}
	if zoo.Weights("hex(size=9,swap=1)") != nil || zoo.CardOf("../zoo/hex") != nil {
		t.Error("files of games without an agent")
	}
}

// checkBlunders checks that a card's blunders were measured if the game has a suite, and fall along the dial, up to
// chance.
func checkBlunders(t *testing.T, card *zoo.Card, suited bool, dial agent.Dial) {
	t.Helper()
	const chance = 0.01 // of 2,000 positions
	last := 1.0
	for i, s := range dial {
		if (s.Blunders != nil) != suited {
			t.Errorf("%s: strength %d of the dial has blunders: %t; has a suite: %t", card.Game, i+1, s.Blunders != nil, suited)
			return
		}
		if suited && *s.Blunders > last+chance {
			t.Errorf("%s: strength %d of the dial has more blunders than a weaker one, %v and %v", card.Game, i+1, *s.Blunders, last)
		}
		if suited {
			last = min(last, *s.Blunders)
		}
	}
	order := []string{"beginner", "casual", "club", "strong"}
	grades := dial.Grades()
	for i, g := range grades {
		if i >= len(order) || g.Word != order[i] || g.Most < g.Least || i > 0 && g.Most > grades[i-1].Least {
			t.Errorf("%s: the words of the dial are %v", card.Game, grades)
		}
	}
	if suited && len(grades) < 3 {
		t.Errorf("%s: the dial has only the words %v", card.Game, grades)
	}
}

// maxDialError is how far the rating of an agent with elo=N may be from N.
const maxDialError = 60

// checkDial checks that a card's dial ascends to the card's rating, and that agents with elo=N were rated near N.
func checkDial(t *testing.T, card *zoo.Card) {
	t.Helper()
	dial := card.Dial
	if dial == nil || card.Rating == nil || len(dial.Strengths) == 0 {
		t.Errorf("%s: the card has no dial or no rating", card.Game)
		return
	}
	var strengths agent.Dial
	for _, s := range dial.Strengths {
		strengths = append(strengths, agent.Strength(s))
	}
	game := games.Must(card.Game)
	_, suited := suite.Shipped(game)
	checkBlunders(t, card, suited, strengths)
	if err := strengths.Validate(); err != nil {
		t.Errorf("%s: %v", card.Game, err)
	}
	if last := dial.Strengths[len(dial.Strengths)-1]; last.Rating != card.Rating.Value {
		t.Errorf("%s: the dial ends at %v; the card's rating is %v", card.Game, last.Rating, card.Rating.Value)
	}
	if len(dial.Checks) != 5 || dial.Command == "" || dial.Games < 1 || dial.CheckGames < 1 {
		t.Errorf("%s: the dial is not complete: %+v", card.Game, dial)
	}
	for _, c := range dial.Checks {
		if off := math.Abs(c.Rating.Value - float64(c.Elo)); off > maxDialError {
			t.Errorf("%s: elo=%d is rated %.0f, %.0f off", card.Game, c.Elo, c.Rating.Value, off)
		}
	}
}

// TestFloors plays every agent and fails if it is weaker than its card allows: a change of the search, of the encoding
// or of inference has weakened it. A stronger network comes with a new card. Where there is a suite, errors say more
// than a match; elsewhere half of the card's games are enough. Plain Go is slow, so there it tests the networks alone.
func TestFloors(t *testing.T) {
	plainGo := kernel.InstructionSet() == "Go"
	for _, name := range zoo.Games() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			game, load := shippedGame(t, name)
			floors := zoo.CardOf(name).Floors
			if s, ok := suite.Shipped(game); ok {
				for _, test := range []struct {
					spec  string
					floor float64
				}{{"policy:zoo", floors.PolicyError}, {"zoo", floors.SearchError}} {
					if plainGo && test.spec == "zoo" {
						continue
					}
					r, err := s.Test(t.Context(), newFactory(t, game, test.spec, load), suite.TestOptions{
						Threads: 1, Seed: 1, Positions: floors.Positions,
					})
					if err != nil {
						t.Fatal(err)
					}
					log := t.Logf
					if r.Error.Value > test.floor {
						log = t.Errorf
					}
					log("%s loses value in %.4f of %d positions; at most %.4f are allowed", test.spec, r.Error.Value, r.Positions, test.floor)
				}
				return
			}
			if plainGo {
				return
			}
			r, err := match.Run(t.Context(), match.Config{
				Game: game, A: newFactory(t, game, "zoo", load), B: newFactory(t, game, floors.Opponent, nil),
				Games: floors.Games / 2, Seed: 1, OpeningPlies: 2, Threads: runtime.GOMAXPROCS(0),
			})
			if err != nil {
				t.Fatal(err)
			}
			log := t.Logf
			if r.Score < floors.Score {
				log = t.Errorf
			}
			log("scores %.3f of %d games against %s; at least %.2f are needed", r.Score, r.Games, floors.Opponent, floors.Score)
		})
	}
}
