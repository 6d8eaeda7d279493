package gamefile

import (
	"fmt"
	"io"

	"ludus/env"
)

// writers write a game in each format.
var writers = map[Format]func(w *writer, r *Record) error{
	SGF: writeSGF, GGF: writeGGF, Moves: writeMoves, Digits: writeDigits, JSON: writeJSON, Transcript: writeTranscript,
}

// writer collects the text of a game.
type writer struct {
	text  []byte
	games int // number of the game, from 1
}

func (w *writer) print(text string) { w.text = append(w.text, text...) }

// Writer writes a file of games.
type Writer struct {
	w      io.Writer
	format Format
	games  int
}

// NewWriter returns a writer of a file in a format. A file of an earlier writer may go on, except for transcripts, which
// count their games.
func NewWriter(w io.Writer, format Format) (*Writer, error) {
	if writers[format] == nil {
		return nil, fmt.Errorf("unknown format %s; known: %v", env.Quote(string(format)), Formats())
	}
	return &Writer{w: w, format: format}, nil
}

// Write writes a game. An error is that of the file, or says that the format has no such games; then nothing is written.
func (w *Writer) Write(r *Record) error {
	w.games++
	text := writer{games: w.games}
	err := writers[w.format](&text, r)
	if err != nil {
		return err
	}
	_, err = w.w.Write(text.text)
	return err
}

// Text returns a game as a file in a format.
func Text(r *Record, format Format) (string, error) {
	text := writer{games: 1}
	err := writers[format](&text, r)
	return string(text.text), err
}
