package selfplay

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"ludus/train/record"
)

// Sizes of a worker's self-play. Games are numerous enough for full batches. Rounds are long, because threads wait for
// each other at the end, but short enough for the worker to switch to a new network soon.
const (
	workerGames = 64 // games in progress per thread
	workerPlies = 4  // plies of each game per round
)

// Played is how much a worker has played.
type Played struct {
	Assignment *Assignment // the current assignment
	Games      int         // games finished since the worker started
	Positions  int         // positions searched since the worker started
	Speed      float64     // positions per second in the last round
}

// Play plays for a run in another process until ctx ends. It plays by the newest assignment and publishes the games
// that end. If that is on another size of the board, the games in progress wait for the next one on theirs. If the run
// changes, it starts over with new games. observe is called after every round. The only errors are the learner's and
// ctx's; before it returns ctx's error, Play publishes the finished games.
func Play(ctx context.Context, learner Learner, threads int, observe func(Played)) error {
	total := Played{}
	for {
		assignment, err := learner.Newest(ctx)
		if err != nil {
			return err
		}
		if err := playRun(ctx, learner, assignment, threads, &total, observe); err != nil {
			return err
		}
	}
}

// playRun plays for the run of the first assignment until the learner's newest assignment belongs to another one.
func playRun(
	ctx context.Context, learner Learner, first *Assignment, threads int, total *Played, observe func(Played),
) error {
	settings := first.Settings
	players, rescorers := map[string]*Player{}, map[string]*Rescorer{} // by the name of the game
	for newest := first; newest.Run == first.Run; {
		game := newest.Game
		if players[game.Name] == nil {
			var seed [8]byte
			_, _ = rand.Read(seed[:]) // never fails; random, so that no two workers play the same games
			players[game.Name] = NewPlayer(game, &settings, binary.LittleEndian.Uint64(seed[:]), workerGames*threads, threads)
			rescorers[game.Name] = NewRescorer(game, settings.SolverNodes, threads)
		}
		player, rescorer := players[game.Name], rescorers[game.Name]
		result, err := player.Round(ctx, newest, workerPlies)
		start := time.Now()
		if err == nil {
			err = rescorer.Rescore(ctx, result.Finished)
		}
		result.Seconds += time.Since(start).Seconds()
		if len(result.Finished) > 0 { // after ctx has ended, too; then some games are not rescored
			m := &record.Message{Run: first.Run, Generation: newest.Generation, Threads: threads, Records: result.Finished}
			if err := learner.PublishGames(ctx, m); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		total.Assignment = newest
		total.Games += len(result.Finished)
		total.Positions += result.Positions
		total.Speed = float64(result.Positions) / result.Seconds
		observe(*total)
		if newest, err = learner.Newest(ctx); err != nil {
			return err
		}
	}
	return nil
}
