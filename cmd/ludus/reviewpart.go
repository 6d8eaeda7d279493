package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/page"
	"ludus/cmd/ludus/internal/terminal"
)

// partGame is a game of a part file. The first line of that file is a partHeader.
type partGame struct {
	Moves string `json:"moves"`
	Text  string `json:"text"` // its review
}

type partHeader struct {
	Version int    `json:"review"`
	Game    string `json:"game"`
	Agent   string `json:"agent"`
	Digest  string `json:"digest,omitempty"` // of the agent's network
	Format  string `json:"format"`
}

// readPart reads the reviews of the part file, if there is one.
func (rev *reviewer) readPart() error {
	if rev.part == "" {
		return nil
	}
	origin, err := rev.factory.Load()
	if err != nil {
		return err
	}
	rev.header, err = json.Marshal(partHeader{2, rev.game.Name, rev.factory.String(), origin.Digest, rev.format})
	if err != nil {
		return err
	}
	lines, err := checkpoints.ReadLines(rev.part)
	if err != nil || len(lines) == 0 {
		return err
	}
	if !bytes.Equal(lines[0], rev.header) {
		return fmt.Errorf("%s has reviews of another game, agent or format: it begins with %.200s, not %s; remove it, or name another --output",
			rev.part, lines[0], rev.header)
	}
	rev.header = nil
	rev.done = make([]partGame, len(lines)-1)
	for i, line := range lines[1:] {
		err := json.Unmarshal(line, &rev.done[i])
		if err != nil {
			return fmt.Errorf("%s is damaged: line %d: %w; remove it", rev.part, i+2, err)
		}
	}
	return nil
}

// movesOf writes the moves of a game as a part file has them.
func movesOf(record *gamefile.Record) string {
	return strings.Join(record.Game.Names(record.Actions()), ";")
}

// write writes the review of a game.
func (rev *reviewer) write(job *reviewJob, text string) error {
	defer rev.show(1, 0)
	if rev.part == "" {
		rev.mu.Lock()
		rev.progress.close()
		rev.mu.Unlock()
		_, err := io.WriteString(rev.cmd.OutOrStdout(), text)
		return err
	}
	g := partGame{movesOf(job.record), text}
	line, err := json.Marshal(g)
	if err == nil && rev.header != nil {
		err = checkpoints.AppendLine(rev.part, rev.header)
		rev.header = nil
	}
	if err == nil {
		err = checkpoints.AppendLine(rev.part, line)
	}
	rev.done = append(rev.done, g)
	return err
}

// save turns the part file into the output.
func (rev *reviewer) save(output string, force bool) error {
	if len(rev.done) == 0 {
		return fmt.Errorf("%s has no game that can be reviewed", rev.path)
	}
	err := writeStream(output, force, rev.writeReviews)
	if err != nil {
		return err
	}
	fmt.Fprintf(rev.cmd.OutOrStdout(), "%s in %s\n", terminal.Counted(rev.reviewed, "game"), output)
	return os.Remove(rev.part)
}

// writeReviews writes the reviews of the part file.
func (rev *reviewer) writeReviews(w io.Writer) error {
	texts := make([]string, len(rev.done))
	for i, g := range rev.done {
		texts[i] = g.Text
	}
	if rev.format != "html" {
		_, err := io.WriteString(w, strings.Join(texts, ""))
		return err
	}
	var reviews []*analysis.Review
	err := json.Unmarshal([]byte("["+strings.Join(texts, ",")+"]"), &reviews)
	if err != nil {
		return err
	}
	data, err := page.Reviews(rev.game, reviews)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
