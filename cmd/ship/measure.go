package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"runtime"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/train/agent"
	"ludus/train/exploit"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/shipped"
	"ludus/train/suite"
)

// agent returns an agent of the game. The network is zoo, without a dial.
func (s *shipment) agent(spec string) *agent.Factory {
	return must(agent.ParseFactory(s.game, spec, shipped.FileLoader(s.game, s.file, nil)))
}

// test tests an agent on n positions of a suite; 0: all.
func (s *shipment) test(positions *suite.Suite, spec string, n int) suite.Result {
	log.Printf("%s in solved positions", spec)
	return must(positions.Test(context.Background(), s.agent(spec),
		suite.TestOptions{Threads: runtime.GOMAXPROCS(0), Seed: 1, Positions: n}))
}

// Sizes of the tests for [zoo.Floors]: some seconds per game on one core. Floors are a little below the results.
const (
	floorPositions = 1000
	floorOpponent  = "mcts:1000"
	floorGames     = 40
)

// testSuites measures the agent's errors on the game's suites, and the floors of those on the shipped one.
func (s *shipment) testSuites() {
	f, specs := &s.card.Floors, []string{"policy:zoo", "zoo"}
	if positions, ok := suite.Shipped(s.game); ok {
		s.addErrors("shipped", positions, specs)
		for i, floor := range []*float64{&f.PolicyError, &f.SearchError} {
			r := s.test(positions, specs[i], floorPositions)
			faults := math.Round(r.Error.Value * float64(r.Positions)) // the floor allows 2 more, and a tenth
			f.Positions, *floor = r.Positions, round((faults+2+math.Ceil(faults/10))/float64(r.Positions))
		}
	}
	if positions, ok := suite.ShippedHard(s.game); ok {
		s.addErrors("hard", positions, specs)
	}
}

// addErrors measures agents' errors on a suite.
func (s *shipment) addErrors(name string, positions *suite.Suite, specs []string) {
	for _, spec := range specs {
		r := s.test(positions, spec, 0)
		s.card.Errors = append(s.card.Errors, zoo.SuiteError{
			Command: fmt.Sprintf("ludus suite --check %s %s %s", name, s.game.Name, spec),
			Suite:   name, Agent: spec, Positions: r.Positions, Error: rounded(zoo.Estimate(r.Error)),
		})
	}
}

// playMatches measures the agent's score against the opponents, and the floor of its score.
func (s *shipment) playMatches() {
	for _, opponent := range s.opponents {
		r := s.play(opponent, s.games)
		s.card.Matches = append(s.card.Matches, zoo.MatchResult{
			Command: fmt.Sprintf("ludus arena %s zoo %s --games %d", s.game.Name, opponent, s.games), Agent: agent.Zoo,
			Opponent: opponent, Games: r.Games, Wins: r.Wins, Draws: r.Draws, Losses: r.Losses,
			Score: rounded(zoo.Estimate{Value: r.Score, Low: r.Low, High: r.High}),
		})
	}
	f := &s.card.Floors
	f.Opponent, f.Games = floorOpponent, floorGames
	f.Score = max(0, math.Floor(100*(s.play(f.Opponent, f.Games).Score-0.1))/100)
}

// play plays a match of zoo against an opponent, with the defaults of "ludus arena".
func (s *shipment) play(opponent string, games int) match.Result {
	log.Printf("zoo against %s", opponent)
	return must(match.Run(context.Background(), match.Config{
		Game: s.game, A: s.agent(agent.Zoo), B: s.agent(opponent), Games: games, Seed: 1, OpeningPlies: 2,
		Threads: runtime.GOMAXPROCS(0),
	}))
}

// certifyAgent walks every reply to the agent, as "ludus exploit" does, and records the result if it proves that the agent
// gives nothing away.
func (s *shipment) certifyAgent() {
	if s.certify == "" {
		return
	}
	factory := s.agent(agent.Zoo + "," + s.certify)
	const positions = 4_000_000
	r := must(exploit.Walk(context.Background(), exploit.Options{
		Agent: factory, Positions: positions, Nodes: 2_000_000, Memory: 512 << 20, Threads: runtime.GOMAXPROCS(0), Seed: 1,
	}))
	log.Printf("%v: %d positions, %d faults, complete: %t", factory, r.Positions, len(r.Faults), r.Complete)
	if r.Complete && len(r.Faults) == 0 {
		s.card.Certificate = &zoo.Certificate{
			Command: fmt.Sprintf("ludus exploit %s %v --positions %d", s.game.Name, factory, positions),
			Agent:   factory.String(), Positions: r.Positions,
		}
	}
}

// measureDial measures the dial and the rating of the network, and checks the dial in other games.
func (s *shipment) measureDial() {
	logged := time.Now()
	o := ratings.DialOptions{
		Game: s.game, Load: shipped.FileLoader(s.game, s.file, nil),
		Balance: match.NewBalanceChecker(s.game), Threads: runtime.GOMAXPROCS(0),
		Progress: func(p ratings.Progress) {
			if time.Since(logged) > time.Minute && !math.IsInf(p.Widest, 1) {
				log.Printf("the dial: %d games, intervals up to ±%.0f Elo", p.Games, p.Widest)
				logged = time.Now()
			}
		},
	}
	dial, table, err := ratings.MeasureDial(context.Background(), o)
	check(err)
	d := &zoo.Dial{Command: "go run ./cmd/ship -dial " + s.game.Name, Games: table.Games, Checks: []zoo.DialCheck{}}
	for _, strength := range dial {
		d.Strengths = append(d.Strengths, zoo.Strength(strength))
	}
	o.Load = shipped.FileLoader(s.game, s.file, dial)
	claims, table, err := ratings.CheckDial(context.Background(), o, dial)
	check(err)
	d.CheckGames = table.Games
	for _, c := range claims {
		d.Checks = append(d.Checks, zoo.DialCheck{Elo: c.Elo,
			Rating: zoo.Estimate{Value: c.Rating.Rating, Low: c.Rating.Low, High: c.Rating.High}})
	}
	full := dial[len(dial)-1]
	s.card.Dial, s.card.Rating = d, &zoo.Rating{
		Estimate: zoo.Estimate{Value: full.Rating, Low: full.Low, High: full.High}, Simulations: full.Simulations,
	}
	s.measureBlunders()
}

// measureBlunders measures the share of blunders of each strength of the dial in the positions of the shipped suite, if
// there is one.
func (s *shipment) measureBlunders() {
	positions, ok := suite.Shipped(s.game)
	if !ok {
		return
	}
	const most = 2000
	for i := range s.card.Dial.Strengths {
		strength := &s.card.Dial.Strengths[i]
		r := s.test(positions, agent.Strength(*strength).Spec(agent.ParseReference(agent.Zoo)).String(), most)
		s.card.Dial.BlunderPositions, strength.Blunders = r.Positions, new(round(r.Error.Value))
	}
}

// rounded returns an estimate with its numbers rounded to 4 decimals.
func rounded(e zoo.Estimate) zoo.Estimate {
	return zoo.Estimate{Value: round(e.Value), Low: round(e.Low), High: round(e.High)}
}

func round(x float64) float64 { return math.Round(1e4*x) / 1e4 }
