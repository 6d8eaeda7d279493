package terminal

import (
	"encoding/json"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
)

// jsonView shows a session to programs: one JSON object per line, with its kind in "type".
type jsonView struct {
	*Session
	encoder *json.Encoder
}

func newJSONView(s *Session) *jsonView {
	v := &jsonView{s, json.NewEncoder(&s.output)}
	v.encoder.SetEscapeHTML(false)
	return v
}

// object holds the fields of a JSON line.
type object map[string]any

// write writes a JSON line with the given "type".
func (v *jsonView) write(kind string, o object) {
	o["type"] = kind
	if err := v.encoder.Encode(o); err != nil {
		panic("terminal: a line cannot be written as JSON")
	}
}

func (v *jsonView) showPlayers() {
	v.write("game", object{"game": v.Game.Name, "players": v.Game.Players, "seats": []string{v.Seats[0].Name, v.Seats[1].Name}})
}

func (v *jsonView) showRules() {
	v.write("rules", object{"rules": v.Game.Rules, "strategy": v.Game.Strategy})
}

func (v *jsonView) showPosition() {
	var player any // null if the game is over
	if !v.state.Done() {
		player = v.Game.Players[v.state.Player()]
	}
	v.write("position", object{
		"board": strings.TrimRight(v.Game.Board(v.state), "\n"), "player": player,
		"moves": v.Game.Names(v.moves), "legal": v.Game.Names(v.state.Legal(nil)),
	})
}

func (v *jsonView) flip()   {}
func (v *jsonView) prompt() {}

func (v *jsonView) showMove(player env.Player, action env.Action, took time.Duration) {
	v.write("move", object{
		"ply": len(v.moves), "player": v.Game.Players[player], "by": v.Seats[player].Name, "move": v.Game.ActionNames[action],
		"seconds": took.Round(time.Millisecond).Seconds(),
	})
}

func (v *jsonView) showUndo(plies int) { v.write("undo", object{"plies": plies}) }
func (v *jsonView) note(text string)   { v.write("note", object{"text": text}) }
func (v *jsonView) showRejection(line, reason string) {
	v.write("error", object{"line": line, "error": reason})
}

func (v *jsonView) listMoves(legal []env.Action) {
	v.write("moves", object{"legal": v.Game.Names(legal)})
}

func (v *jsonView) showAnalysis(agent string, r *analysis.Result, _ bool) {
	v.write("analysis", object{
		"by": agent, "player": r.Player, "value": r.Value, "goals": r.Goals, "best": r.Best, "simulations": r.Simulations,
		"proven": r.Proven, "moves": r.Moves,
	})
}

func (v *jsonView) showSuggestion(agent string, r *analysis.Result) { v.showAnalysis(agent, r, true) }

func (v *jsonView) showResult() {
	var winner any
	if p, ok := v.winner(); ok {
		winner = v.Game.Players[p]
	}
	v.write("result", object{
		"goals": analysis.NewGameResult(v.Game, v.state).Goals, "winner": winner, "plies": len(v.moves), "moves": v.Game.Names(v.moves),
	})
}

func (v *jsonView) showInputEnd() {
	if !v.state.Done() {
		v.write("ended", object{"text": "the input ended before the game", "moves": v.Game.Names(v.moves)})
	}
}

func (v *jsonView) showThinking(string) (stop func()) { return func() {} }
