package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/env"
	"ludus/train"
	"ludus/train/record"
	"ludus/train/rundir"
)

// importOf returns the games of files for a training; nil without files. A wrong game is an error, unless skipBad is
// set.
func importOf(cmd *cobra.Command, game *env.Game, paths []string, skipBad bool) (*train.Import, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	games := &train.Import{}
	for _, path := range paths {
		file, err := describeFile(path)
		if err != nil {
			return nil, err
		}
		games.Files = append(games.Files, file)
	}
	games.Games = func(yield func(*record.Imported, error) bool) {
		for _, path := range paths {
			for g, err := range gamesOf(cmd.Context(), cmd, game, path, skipBad) {
				next := &record.Imported{}
				switch {
				case skipBad && errors.As(err, new(*gamefile.Error)):
					next.Wrong, err = err, nil
				case err == nil:
					next = imported(g)
				}
				if !yield(next, err) || err != nil {
					return
				}
			}
		}
	}
	return games, nil
}

// describeFile returns the size and the SHA-256 of a file.
func describeFile(path string) (rundir.ImportedFile, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("--games %s: it must be a file, because training reads it again when it continues", path)
	}
	if err != nil {
		return rundir.ImportedFile{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return rundir.ImportedFile{}, err
	}
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	return rundir.ImportedFile{Name: path, Bytes: size, SHA256: fmt.Sprintf("%x", hash.Sum(nil))}, errors.Join(err, file.Close())
}

// imported returns what a training takes from a game of a file.
func imported(g *gamefile.Record) *record.Imported {
	utilities := map[gamefile.Result]float64{gamefile.FirstWon: 1, gamefile.Draw: 0, gamefile.SecondWon: -1}
	result, known := utilities[g.Result]
	if !known {
		result = math.NaN()
	}
	i := &record.Imported{Moves: g.Actions(), Opening: g.Opening, Result: result}
	for _, m := range g.Moves {
		value := math.NaN()
		if m.Value != nil {
			value = *m.Value
		}
		i.Values = append(i.Values, value)
	}
	return i
}
