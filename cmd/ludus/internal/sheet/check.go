package sheet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/env/gdl"
	"ludus/env/gdl/kif"
)

// State is the state of the watched sheet.
type State string

// The states of a sheet.
const (
	Missing  State = "missing"  // the file does not exist or cannot be read
	Checking State = "checking" // a new version is being checked
	Accepted State = "accepted" // the sheet makes a game
	Refused  State = "refused"  // the sheet has an error, see Problem
)

// Check is the result of checking a version of the sheet.
type Check struct {
	Number   int       `json:"number"` // number of the check, from 1
	File     string    `json:"file"`
	State    State     `json:"state"`
	Problem  string    `json:"problem,omitempty"`  // with line and column, if it concerns a line
	Warnings []string  `json:"warnings,omitempty"` // likely mistakes in an accepted sheet, perhaps with line and column
	Excerpt  []Line    `json:"excerpt,omitempty"`  // the lines around the problem, or the first warning
	Game     string    `json:"game,omitempty"`     // name of the game
	Found    string    `json:"found,omitempty"`    // description of the game, for people
	Broken   *Broken   `json:"broken,omitempty"`
	accepted *env.Game // game of an accepted sheet, otherwise nil
}

// Line is a line of a sheet, for an excerpt.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Column int    `json:"column,omitempty"` // column of the problem, from 1 in characters; 0 on other lines
}

// Broken is a game of random moves to a position that breaks a law of games.
type Broken struct {
	Law         string             `json:"law"`
	Facts       []string           `json:"facts"` // facts that are true in the last position
	Description *board.Description `json:"description"`
	Replay      *board.Replay      `json:"replay"`
}

// excerptLines is the number of lines shown before and after the line of a problem.
const excerptLines = 3

// check checks the text of a sheet. An accepted sheet gets likely mistakes and, from describe, a description of its
// game; a refused one gets the problem and, if it is for two roles and random moves lead to one, a game that breaks a
// law.
func check(ctx context.Context, path, text string, describe func(*env.Game) string) *Check {
	c := &Check{State: Refused}
	net, err := gdl.Read(ctx, text)
	if err == nil {
		stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		c.accepted, _, err = gdl.FromCircuit(ctx, stem, text, net)
	}
	if err == nil {
		c.State, c.Game, c.Found = Accepted, c.accepted.Name, describe(c.accepted)
		warnings := gdl.Warnings(c.accepted)
		for _, w := range warnings {
			c.Warnings = append(c.Warnings, w.String())
		}
		if len(warnings) > 0 && warnings[0].Pos != (kif.Pos{}) {
			c.Excerpt = excerpt(text, warnings[0].Pos)
		}
		return c
	}
	c.Problem = err.Error()
	if place := new(kif.Error); errors.As(err, &place) {
		c.Excerpt = excerpt(text, place.Pos)
	}
	if net == nil || len(net.Program.Roles) != 2 {
		return c
	}
	limited, cancel := context.WithTimeout(ctx, witnessTime)
	defer cancel()
	if w := gdl.FindWitness(limited, net); w != nil {
		c.Broken = newBroken(w)
	}
	return c
}

// excerpt returns the lines around pos.
func excerpt(text string, pos kif.Pos) (list []Line) {
	lines := strings.Split(strings.TrimPrefix(text, kif.ByteOrderMark), "\n")
	for n := max(1, pos.Line-excerptLines); n <= min(len(lines), pos.Line+excerptLines); n++ {
		line := Line{Number: n, Text: strings.ToValidUTF8(strings.TrimRight(lines[n-1], "\r"), "?")}
		if n == pos.Line {
			line.Column = pos.Column
		}
		list = append(list, line)
	}
	return list
}

// newBroken converts a witness of a broken law into a game to show.
func newBroken(w *gdl.Witness) *Broken {
	last := len(w.Positions) - 1
	b := &Broken{
		Law: w.Law, Facts: w.Positions[last].Facts, Description: board.DescribeBoard(w.Game),
		Replay: &board.Replay{Agents: [2]string{"a random player", "a random player"}},
	}
	for ply, p := range w.Positions {
		r := board.ReplayPosition{
			Player: p.Mover, Pieces: diagrams.PiecesText(p.Pieces), Move: strings.Join(p.Moves, ", "),
			Status: fmt.Sprintf("position %d", ply),
		}
		if ply == last {
			r.Player, r.Status = -1, w.Law
		}
		b.Replay.Positions = append(b.Replay.Positions, r)
	}
	return b
}
