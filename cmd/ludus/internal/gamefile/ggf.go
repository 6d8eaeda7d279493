package gamefile

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ludus/env"
)

// discs is the evaluation in discs of a sure win. Values of GGF are in discs.
const discs = 64

// startOf returns a game's starting position as GGF writes it: the size, the rows from the first, and black (*) to
// move.
func startOf(game *env.Game) string {
	pieces := game.NewState().Pieces(nil)
	cells := bytes.Repeat([]byte("-"), len(pieces))
	for i, k := range pieces {
		for player, disc := range []byte("*O") {
			if game.Drawing.IsOf(k, env.Player(player)) {
				cells[i] = disc
			}
		}
	}
	return fmt.Sprintf("%d %s *", game.Tensor.W, cells)
}

// readGGF returns the record of a tree in GGF, whose only node has all moves such as B[f5/1.50/2.25]: cell, evaluation
// in discs, seconds.
func readGGF(want *env.Game, root *node) (*Record, error) {
	board := root.find("BO")
	size, _, _ := strings.Cut(board.value(), " ")
	game, err := gameOfNumber(want, "2", size, size)
	switch kind := root.get("TY"); {
	case err != nil:
	case strings.Contains(kind, "a"):
		err = fmt.Errorf("TY[%s] is anti-Othello, which ludus does not play", kind)
	case strings.Join(strings.Fields(board.value()), "") != strings.ReplaceAll(startOf(game), " ", ""):
		err = fmt.Errorf("BO: ludus plays from the usual starting position of %s only", game.Name)
	}
	if err != nil {
		return nil, errorAt(board.place, 0, err)
	}
	d := root.draft(root.get("CO"))
	for _, p := range root.properties {
		if p.id == "B" || p.id == "W" {
			fields := append(strings.Split(p.value(), "/"), "", "")
			e := entry{Move: fields[0], Value: number(fields[1], 1.0/discs), place: p.place, by: p.id}
			e.Seconds, _ = strconv.ParseFloat(fields[2], 64)
			d.Moves = append(d.Moves, e)
		}
	}
	score, how, _ := strings.Cut(root.get("RE"), ":")
	if lead := number(score, 1); lead != nil {
		d.Result, d.End = []Result{SecondWon, Draw, FirstWon}[1+cmp.Compare(*lead, 0)], endOf(how)
	}
	return d.record(game)
}

// writeGGF writes a game of Othello.
func writeGGF(r *Record) (string, error) {
	if r.Game.Family != "othello" {
		return "", fmt.Errorf("GGF is for Othello, not for %s", r.Game.Name)
	}
	text := "(;GM[Othello]" + properties(strings.NewReplacer("[", "(", "]", ")", "\\", "/"),
		"PC", r.Place, "DT", r.Date, "PB", r.Players[0], "PW", r.Players[1], "RE", resultGGF(r), "EV", r.Event, "CO", r.Comment,
		"TY", strconv.Itoa(r.Game.Tensor.W), "BO", startOf(r.Game))
	state := r.Game.NewState()
	for _, m := range r.Moves {
		move := strings.ToUpper(r.Game.ActionNames[m.Action])
		if move == "PASS" {
			move = "PA"
		}
		value, seconds := m.known(discs, 2)
		text += []string{"B", "W"}[state.Player()] + "[" + strings.TrimRight(move+"/"+value+"/"+seconds, "/") + "]"
		state.Apply(m.Action)
	}
	return text + ";)\n", nil
}

// resultGGF returns a record's result in GGF: First's lead in discs, and why the game ended early; "" if it is unknown.
func resultGGF(r *Record) string {
	if r.Result == "" {
		return ""
	}
	winner, lead, how := r.score()
	if lead == 0 && r.Result != Draw {
		lead = discs
	}
	return fmt.Sprintf("%+d", int(winner.Sign())*lead) + map[string]string{"R": ":r", "T": ":t"}[how]
}
