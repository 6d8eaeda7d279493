package gamefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ludus/env"
	"ludus/env/games"
)

// jsonRecord is a [Record] as a line of JSON.
type jsonRecord struct {
	Game    string     `json:"game"`
	Players [2]string  `json:"players,omitzero"`
	Date    string     `json:"date,omitempty"`
	Event   string     `json:"event,omitempty"`
	Place   string     `json:"place,omitempty"`
	Moves   []jsonMove `json:"moves"`
	Result  Result     `json:"result,omitempty"`
	End     string     `json:"end,omitempty"`
	Comment string     `json:"comment,omitempty"`
}

// jsonMove is a [Move]: its name alone, or an object if more is known.
type jsonMove struct {
	Move    string       `json:"move"`
	Seconds float64      `json:"seconds,omitempty"`
	Value   *float64     `json:"value,omitempty"`
	Comment string       `json:"comment,omitempty"`
	Instead [][]jsonMove `json:"instead,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (m jsonMove) MarshalJSON() ([]byte, error) {
	if m.Seconds == 0 && m.Value == nil && m.Comment == "" && m.Instead == nil {
		return json.Marshal(m.Move)
	}
	type object jsonMove
	return json.Marshal(object(m))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *jsonMove) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &m.Move)
	}
	type object jsonMove
	return json.Unmarshal(data, (*object)(m))
}

// matchHeader is the part of a match record's first line that its games need; see package match.
type matchHeader struct {
	Version int    `json:"match"`
	Game    string `json:"game"`
	A       string `json:"a"`
	B       string `json:"b"`
}

const matchVersion = 3

// matchGame is the part of a match record's game that a [Record] holds.
type matchGame struct {
	Number *int     `json:"game"`
	AFirst bool     `json:"a_first"`
	Moves  []string `json:"moves"`
	End    string   `json:"end"`
	Loser  string   `json:"loser"`
}

// readJSON reads the game of a line of JSON.
func (r *Reader) readJSON() (*Record, error) {
	for {
		line, err := r.source.readLine()
		if err != nil {
			r.games++
			return nil, err
		}
		at := place{r.source.place().line, 0}
		var header matchHeader
		if json.Unmarshal([]byte(line), &header) == nil && header.Version > 0 {
			r.match, r.Format = header, MatchRecord
			if header.Version != matchVersion {
				r.games++
				return nil, errorAt(at, 0, fmt.Errorf("the match record has format %d, and this program reads %d", header.Version, matchVersion))
			}
			continue
		}
		r.games++
		var found *jsonRecord
		if r.Format == MatchRecord {
			found, err = r.match.record([]byte(line))
		} else {
			found = &jsonRecord{}
			err = json.Unmarshal([]byte(line), found)
			switch {
			case err != nil:
			case found.Moves == nil:
				err = errors.New("moves are missing")
			case found.Game == "" && r.game == nil:
				err = errGame
			}
		}
		if err != nil {
			return nil, errorAt(at, 0, fmt.Errorf("it is not a game: %w", err))
		}
		return found.replay(r.game, at)
	}
}

// record returns a game of a match record.
func (h *matchHeader) record(line []byte) (*jsonRecord, error) {
	var g matchGame
	err := json.Unmarshal(line, &g)
	if err == nil && g.Number == nil {
		err = errors.New("it has no number")
	}
	if err != nil {
		return nil, err
	}
	r := &jsonRecord{Game: h.Game, Players: [2]string{h.A, h.B}, End: g.End}
	if !g.AFirst {
		r.Players = [2]string{h.B, h.A}
	}
	if g.Loser != "" {
		r.Result = SecondWon
		if (g.Loser == "a") != g.AFirst {
			r.Result = FirstWon
		}
	}
	for _, text := range g.Moves {
		r.Moves = append(r.Moves, jsonMove{Move: text})
	}
	return r, nil
}

// replay returns the record of a game of JSON. game is the game that it must be; nil: any.
func (j *jsonRecord) replay(game *env.Game, at place) (*Record, error) {
	switch {
	case game != nil && j.Game != "" && j.Game != game.Name:
		return nil, errorAt(at, 0, fmt.Errorf("the game is %s, not %s", env.Quote(j.Game), game.Name))
	case game == nil:
		var err error
		game, err = games.Find(j.Game)
		if err != nil {
			return nil, errorAt(at, 0, err)
		}
	}
	r := &Record{
		Game: game, Players: j.Players, Date: j.Date, Event: j.Event, Place: j.Place, Comment: j.Comment, End: j.End,
	}
	switch j.Result {
	case "", FirstWon, SecondWon, Draw:
		r.Result = j.Result
	default:
		return nil, errorAt(at, 0, fmt.Errorf("the result %s is unknown; it is 1-0, 0-1 or 1/2-1/2, the first player's score first", env.Quote(string(j.Result))))
	}
	p, ply := newPosition(game), 0
	var err error
	r.Moves, err = p.replay(j.Moves, &ply)
	if err != nil {
		return nil, errorAt(at, ply+1, err)
	}
	r.finish(p)
	return r, nil
}

// replay plays moves of JSON. It counts the moves of the game in ply, up to the one with an error.
func (p *position) replay(list []jsonMove, ply *int) (moves []Move, err error) {
	for _, j := range list {
		var instead [][]Move
		for _, line := range j.Instead {
			at := *ply
			variation, err := p.branch().replay(line, &at)
			if err != nil {
				*ply = at
				return nil, err
			}
			if len(variation) > 0 {
				instead = append(instead, variation)
			}
		}
		before := len(moves)
		moves, err = p.addLoosely(moves, j.Move)
		if err != nil {
			return nil, err
		}
		if len(moves) == before { // a pass after the end
			continue
		}
		m := &moves[len(moves)-1]
		m.Comment, m.Seconds, moves[before].Instead = j.Comment, j.Seconds, instead
		if !(m.Seconds >= 0 && m.Seconds < 1e9) {
			return nil, fmt.Errorf("seconds must be 0 or more, not %v", j.Seconds)
		}
		if j.Value != nil {
			m.Value = clamped(*j.Value)
		}
		*ply += len(moves) - before
	}
	return moves, nil
}

// writeJSON writes a game as a line of JSON.
func writeJSON(w *writer, r *Record) error {
	j := jsonRecord{r.Game.Name, r.Players, r.Date, r.Event, r.Place, jsonMoves(r.Game, r.Moves), r.Result, r.End, r.Comment}
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(j)
	w.print(line.String())
	return err
}

// jsonMoves returns moves as JSON writes them; never nil.
func jsonMoves(game *env.Game, moves []Move) []jsonMove {
	list := []jsonMove{}
	for _, m := range moves {
		j := jsonMove{Move: game.ActionNames[m.Action], Seconds: m.Seconds, Value: m.Value, Comment: m.Comment}
		for _, line := range m.Instead {
			j.Instead = append(j.Instead, jsonMoves(game, line))
		}
		list = append(list, j)
	}
	return list
}
