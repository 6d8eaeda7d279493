package terminal

import (
	"encoding/json"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
)

// jsonView tells programs: one object a line, whose type says what it is.
type jsonView struct {
	*Session
	encoder *json.Encoder
}

func newJSONView(s *Session) *jsonView {
	v := &jsonView{s, json.NewEncoder(&s.written)}
	v.encoder.SetEscapeHTML(false)
	return v
}

// object holds the fields of a line, written in the order of their names.
type object map[string]any

func (v *jsonView) write(kind string, o object) {
	o["type"] = kind
	if err := v.encoder.Encode(o); err != nil {
		panic("terminal: a line that JSON cannot hold")
	}
}

// mover is the name of the player to move, null where the game is over.
func (v *jsonView) mover() any {
	if v.state.Done() {
		return nil
	}
	return v.Game.Players[v.state.Player()]
}

func (v *jsonView) texts(actions []env.Action) []string {
	list := make([]string, 0, len(actions))
	for _, a := range actions {
		list = append(list, v.Game.ActionTexts[a])
	}
	return list
}

func (v *jsonView) by(player env.Player) string {
	if v.Seats[player].Agent == nil {
		return "person"
	}
	return v.Seats[player].Name
}

func (v *jsonView) begin() {
	v.write("game", object{"game": v.Game.Name, "players": v.Game.Players, "seats": []string{v.by(0), v.by(1)}})
}

func (v *jsonView) position() {
	v.write("position", object{
		"board": strings.TrimRight(v.state.Board(), "\n"), "player": v.mover(),
		"moves": v.texts(v.moves), "legal": v.texts(v.state.Legal(nil)),
	})
}

func (v *jsonView) prompt() {}

func (v *jsonView) moved(player env.Player, action env.Action, took time.Duration) {
	v.write("move", object{
		"ply": len(v.moves), "player": v.Game.Players[player], "by": v.by(player), "move": v.Game.ActionTexts[action],
		"seconds": took.Round(time.Millisecond).Seconds(),
	})
}

func (v *jsonView) undone(plies int)          { v.write("undo", object{"plies": plies}) }
func (v *jsonView) note(text string)          { v.write("note", object{"text": text}) }
func (v *jsonView) problem(line, text string) { v.write("error", object{"line": line, "error": text}) }

func (v *jsonView) list(legal []env.Action) { v.write("moves", object{"legal": v.texts(legal)}) }

func (v *jsonView) thoughts(name string, j *analysis.Judgement) {
	v.write("thoughts", object{
		"by": name, "player": j.Player, "value": j.Value, "goals": j.Goals, "best": j.Best, "simulations": j.Simulations,
		"proven": j.Proven, "moves": j.Moves,
	})
}

func (v *jsonView) hint(name string, j *analysis.Judgement) { v.thoughts(name, j) }

func (v *jsonView) finished() {
	var winner any
	if p, ok := v.winner(); ok {
		winner = v.Game.Players[p]
	}
	v.write("result", object{
		"goals": analysis.Finish(v.Game, v.state).Goals, "winner": winner, "plies": len(v.moves), "moves": v.texts(v.moves),
	})
}

func (v *jsonView) ended() {
	if !v.state.Done() {
		v.write("ended", object{"text": "the input has ended before the game", "moves": v.texts(v.moves)})
	}
}

func (v *jsonView) wait(string) (stop func()) { return func() {} }
