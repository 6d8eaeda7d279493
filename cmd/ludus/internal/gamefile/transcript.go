package gamefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readTranscript reads the moves of a game in a transcript. It compares nothing; games.VerifyTranscript does.
func (r *Reader) readTranscript() (*Record, error) {
	line, err := r.held, error(nil)
	r.held = ""
	if line == "" {
		line, err = r.source.readLine()
	}
	if err != nil {
		r.games++
		return nil, err
	}
	record, p, begun := &Record{Game: r.game}, newPosition(r.game), false
	var fault error // the first error; the rest of the game is skipped
	for ; err == nil; line, err = r.source.readLine() {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		at := place{r.source.place().line, 0}
		if word == "game" && begun {
			r.held = line
			break
		}
		if word == "goals" {
			break
		}
		if fault != nil {
			continue
		}
		if word == "game" {
			_, err := strconv.Atoi(strings.TrimSpace(rest))
			begun = err == nil
		}
		head, _, isMove := strings.Cut(rest, "|")
		_, move, _ := strings.Cut(strings.TrimSpace(head), " ")
		switch {
		case word == "game" && begun:
		case !begun || !isMove:
			fault = errorAt(at, 0, fmt.Errorf("a transcript has lines like \"game 1\" and \"%s 2 MOVE | MOVE;MOVE;\"", r.game.Players[0]))
			begun = true
		case !p.state.Done() && word != r.game.Players[p.state.Player()]:
			fault = errorAt(at, len(record.Moves)+1, fmt.Errorf("the transcript has %s to move, the game has %s", word, r.game.Players[p.state.Player()]))
		default:
			moves, err := p.add(record.Moves, move)
			record.Moves = moves
			if err != nil {
				fault = errorAt(at, len(moves)+1, err)
			}
		}
	}
	r.games++
	if fault != nil {
		return nil, fault
	}
	record.finish(p)
	return record, nil
}

// writeTranscript writes a game as a transcript.
func writeTranscript(w *writer, r *Record) error {
	p, players := newPosition(r.Game), r.Game.Players
	w.print(fmt.Sprintf("game %d\n", w.games))
	for _, m := range r.Moves {
		legal := r.Game.Texts(p.legal)
		slices.Sort(legal)
		w.print(fmt.Sprintf("%s %d %s | %s;\n", players[p.state.Player()], len(legal), r.Game.ActionTexts[m.Action], strings.Join(legal, ";")))
		p.play(m.Action)
	}
	if goals := p.state.Goals(); p.state.Done() {
		w.print(fmt.Sprintf("goals %s=[%d] %s=[%d]\n", players[0], goals[0], players[1], goals[1]))
	}
	return nil
}
