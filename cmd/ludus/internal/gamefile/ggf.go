package gamefile

import (
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
	var cells []byte
	for _, k := range game.NewState().Pieces(nil) {
		cell := byte('-')
		switch {
		case game.Drawing.IsOf(k, env.First):
			cell = '*'
		case game.Drawing.IsOf(k, env.Second):
			cell = 'O'
		}
		cells = append(cells, cell)
	}
	return fmt.Sprintf("%d %s *", game.Tensor.W, cells)
}

// readGGF returns the record of a tree in GGF, whose only node has all moves such as B[f5/1.50/2.25]: cell, evaluation in
// discs, seconds.
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
		d.Result, d.End = Draw, endOf(how)
		switch {
		case *lead > 0:
			d.Result = FirstWon
		case *lead < 0:
			d.Result = SecondWon
		}
	}
	return d.record(game)
}

// writeGGF writes a game of Othello.
func writeGGF(r *Record) (string, error) {
	if r.Game.Family != "othello" {
		return "", fmt.Errorf("GGF is for Othello, not for %s", r.Game.Name)
	}
	text := "(;GM[Othello]"
	for _, p := range [][2]string{
		{"PC", r.Place}, {"DT", r.Date}, {"PB", r.Players[0]}, {"PW", r.Players[1]}, {"RE", scoreGGF(r)}, {"EV", r.Event}, {"CO", r.Comment},
		{"TY", strconv.Itoa(r.Game.Tensor.W)}, {"BO", startOf(r.Game)},
	} {
		if p[1] != "" {
			text += p[0] + "[" + strings.NewReplacer("[", "(", "]", ")", "\\", "/").Replace(p[1]) + "]"
		}
	}
	state := r.Game.NewState()
	for _, m := range r.Moves {
		move := strings.ToUpper(r.Game.ActionNames[m.Action])
		if move == "PASS" {
			move = "PA"
		}
		value, seconds := "", ""
		if m.Value != nil {
			value = strconv.FormatFloat(discs**m.Value+0, 'f', 2, 64)
		}
		if m.Seconds > 0 {
			seconds = strconv.FormatFloat(m.Seconds, 'f', 2, 64)
		}
		text += []string{"B", "W"}[state.Player()] + "[" + strings.TrimRight(move+"/"+value+"/"+seconds, "/") + "]"
		state.Apply(m.Action)
	}
	return text + ";)\n", nil
}

// scoreGGF returns a record's result in GGF: First's lead in discs, and why the game ended early; "" if it is unknown.
func scoreGGF(r *Record) string {
	state, err := env.Replay(r.Game, r.Actions())
	switch {
	case r.Result == "" || err != nil:
		return ""
	case state.Done():
		winner, lead := Lead(r.Game, state)
		return fmt.Sprintf("%+d", int(winner.Sign())*lead)
	}
	lead := map[Result]string{FirstWon: "+64", SecondWon: "-64", Draw: "+0"}[r.Result]
	return lead + map[string]string{"resigned": ":r", "time": ":t", "overstepped": ":t"}[r.End]
}
