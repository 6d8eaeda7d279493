package gamefile

import (
	"fmt"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/games"
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

// ggfGame returns the game of a tree in GGF. want is the game that it must be; nil: any.
func ggfGame(want *env.Game, root *node) (*env.Game, error) {
	kind := root.get("TY")
	size := strings.TrimLeft(kind, "s") // s: synchronous games, two at once
	size = size[:len(size)-len(strings.TrimLeft(size, "0123456789"))]
	game := want
	if want == nil {
		var err error
		game, err = games.New("othello(size=" + size + ")")
		if err != nil {
			return nil, err
		}
	}
	switch {
	case game.Family != "othello":
		return nil, fmt.Errorf("GM[%s] is not %s", root.get("GM"), game.Name)
	case size != "" && size != strconv.Itoa(game.Tensor.W):
		return nil, fmt.Errorf("TY[%s]: the board is %sx%s, not that of %s", kind, size, size, game.Name)
	case strings.Contains(kind, "a"):
		return nil, fmt.Errorf("TY[%s] is anti-Othello, which ludus does not play", kind)
	}
	if board := root.get("BO"); strings.Join(strings.Fields(board), "") != strings.ReplaceAll(startOf(game), " ", "") {
		return nil, fmt.Errorf("BO[%s]: ludus plays from the usual starting position of %s only", env.Quote(board), game.Name)
	}
	return game, nil
}

// readGGF returns the record of a tree in GGF, whose only node has all moves.
func readGGF(want *env.Game, root *node) (*Record, error) {
	game, err := ggfGame(want, root)
	if err != nil {
		return nil, errorAt(root.at("BO"), 0, err)
	}
	p := newPosition(game)
	r := &Record{
		Game: game, Players: [2]string{root.get("PB"), root.get("PW")}, Date: root.get("DT"), Event: root.get("EV"),
		Place: root.get("PC"), Comment: root.get("CO"),
	}
	for _, property := range root.properties {
		if property.id != "B" && property.id != "W" {
			continue
		}
		err := r.addGGF(p, property)
		if err != nil {
			return nil, errorAt(property.place, len(r.Moves)+1, err)
		}
	}
	score, how, _ := strings.Cut(root.get("RE"), ":")
	if lead, err := strconv.ParseFloat(score, 64); err == nil {
		switch {
		case lead > 0:
			r.Result = FirstWon
		case lead < 0:
			r.Result = SecondWon
		default:
			r.Result = Draw
		}
		r.End = map[string]string{"r": "resigned", "t": "time"}[how]
	}
	r.finish(p)
	return r, nil
}

// addGGF plays a move such as B[f5/1.50/2.25]: cell, evaluation in discs, seconds.
func (r *Record) addGGF(p *position, property property) error {
	text, rest, _ := strings.Cut(strings.TrimSpace(property.values[0]), "/")
	value, time, _ := strings.Cut(rest, "/")
	player := env.First
	if property.id == "W" {
		player = env.Second
	}
	if pass, forced := p.forcedPass(); forced && player != p.state.Player() {
		p.play(pass)
		r.Moves = append(r.Moves, Move{Action: pass})
	}
	if !p.state.Done() && player != p.state.Player() {
		return fmt.Errorf("%s[%s]: it is %s's turn", property.id, text, r.Game.Players[p.state.Player()])
	}
	before := len(r.Moves)
	var err error
	r.Moves, err = p.add(r.Moves, text)
	if err != nil || len(r.Moves) == before {
		return err
	}
	m := &r.Moves[before]
	m.Seconds = seconds(time)
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		m.Value = clamped(x / discs)
	}
	return nil
}

// writeGGF writes a game of Othello.
func writeGGF(w *writer, r *Record) error {
	if r.Game.Family != "othello" {
		return fmt.Errorf("GGF is for Othello, not for %s", r.Game.Name)
	}
	text := func(id, value string) {
		if value != "" {
			w.print(id + "[" + strings.NewReplacer("[", "(", "]", ")", "\\", "/").Replace(value) + "]")
		}
	}
	w.print("(;GM[Othello]")
	text("PC", r.Place)
	text("DT", r.Date)
	text("PB", r.Players[0])
	text("PW", r.Players[1])
	text("RE", scoreGGF(r))
	text("EV", r.Event)
	text("CO", r.Comment)
	w.print("TY[" + strconv.Itoa(r.Game.Tensor.W) + "]BO[" + startOf(r.Game) + "]")
	state := r.Game.NewState()
	for _, m := range r.Moves {
		move := strings.ToUpper(r.Game.ActionNames[m.Action])
		if move == "PASS" {
			move = "PA"
		}
		value, time := "", ""
		if m.Value != nil {
			value = "/" + strconv.FormatFloat(discs**m.Value+0, 'f', 2, 64)
		}
		if m.Seconds > 0 {
			time = "/" + strconv.FormatFloat(m.Seconds, 'f', 2, 64)
			if value == "" {
				value = "/"
			}
		}
		w.print([]string{"B", "W"}[state.Player()] + "[" + move + value + time + "]")
		state.Apply(m.Action)
	}
	w.print(";)\n")
	return nil
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
	if r.End == "resigned" {
		return lead + ":r"
	}
	return lead + ":t"
}
