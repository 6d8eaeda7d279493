package gamefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
)

// MarshalJSON implements [json.Marshaler]: a move is its name alone, or an object if more is known.
func (e entry) MarshalJSON() ([]byte, error) {
	if e.Seconds == 0 && e.Value == nil && e.Comment == "" && e.Instead == nil {
		return json.Marshal(e.Move)
	}
	type object entry
	return json.Marshal(object(e))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *entry) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &e.Move)
	}
	type object entry
	return json.Unmarshal(data, (*object)(e))
}

// jsonLine is a line of JSON: a game, or the first line or a game of a match record, see package match.
type jsonLine struct {
	draft
	Names []string `json:"players"` // any number of them
	Game  any      `json:"game"`    // the game's name; a number for a game of a match record
	Match int      `json:"match"`   // version of a match record, on its first line
	A     string   `json:"a"`
	B     string   `json:"b"`

	OpeningPlies int `json:"opening_plies"`

	AFirst bool   `json:"a_first"`
	Loser  string `json:"loser"`
}

// matchVersion is the version of match records.
const matchVersion = 3

// readJSON reads the game of a line of JSON.
func (r *Reader) readJSON() (*Record, error) {
	for {
		text, at, err := r.source.readLine()
		if err != nil {
			return nil, err
		}
		line := jsonLine{draft: draft{at: at}}
		if isDeep(text) { // decoding takes the square of the depth
			err = fmt.Errorf("variations are nested more than %d deep", maxJSON)
		} else {
			err = json.Unmarshal([]byte(text), &line)
		}
		if err != nil {
			return nil, errorAt(at, 0, fmt.Errorf("it is not a game: %w", err))
		}
		if line.Match == matchVersion {
			r.match, r.Format = line, MatchRecord
			continue
		}
		game, err := r.complete(&line)
		if err != nil {
			return nil, errorAt(at, 0, err)
		}
		return line.record(game)
	}
}

// maxJSON is the largest number of variations within variations in JSON.
const maxJSON = 64

// isDeep reports whether a line of JSON has more brackets within brackets than maxJSON variations need.
func isDeep(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text) && depth <= 2+3*maxJSON; i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			depth--
		}
	}
	return depth > 2+3*maxJSON
}

// complete checks a line, adds what the first line of a match record says, and returns the game.
func (r *Reader) complete(line *jsonLine) (*env.Game, error) {
	_, isNumber := line.Game.(float64)
	copy(line.Players[:], line.Names)
	switch {
	case line.Match > 0:
		return nil, fmt.Errorf("the match record has format %d, and this program reads %d", line.Match, matchVersion)
	case len(line.Names) != 0 && len(line.Names) != 2:
		return nil, fmt.Errorf("players has %d names; it must have two, the first player's first", len(line.Names))
	case line.Moves == nil:
		return nil, errors.New("it is not a game: moves are missing")
	case r.Format == MatchRecord && !isNumber:
		return nil, errors.New("it is not a game: it has no number")
	case r.Format == MatchRecord:
		line.Opening = r.match.OpeningPlies
		line.Game, line.Players = r.match.Game, [2]string{r.match.A, r.match.B}
		if !line.AFirst {
			slices.Reverse(line.Players[:])
		}
		if line.Loser != "" {
			line.Result = SecondWon
			if (line.Loser == "a") != line.AFirst {
				line.Result = FirstWon
			}
		}
	case !slices.Contains([]Result{"", FirstWon, SecondWon, Draw}, line.Result):
		return nil, fmt.Errorf("the result %s is unknown; it is 1-0, 0-1 or 1/2-1/2, the first player's score first", env.Quote(string(line.Result)))
	}
	name, _ := line.Game.(string)
	return gameNamed(r.game, name)
}

// writeJSON writes a game as a line of JSON.
func writeJSON(r *Record) (string, error) {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(draft{
		Game: r.Game.Name, Players: r.Players, Date: r.Date, Event: r.Event, Place: r.Place, Opening: r.Opening,
		Moves: entriesOf(r.Game, r.Moves), Result: r.Result, End: r.End, Comment: r.Comment,
	})
	return line.String(), err
}

// entriesOf returns moves as a file has them; never nil.
func entriesOf(game *env.Game, moves []Move) []entry {
	list := []entry{}
	for _, m := range moves {
		e := entry{Move: game.ActionNames[m.Action], Seconds: m.Seconds, Value: m.Value, Bad: m.Bad, Comment: m.Comment}
		for _, line := range m.Instead {
			e.Instead = append(e.Instead, entriesOf(game, line))
		}
		list = append(list, e)
	}
	return list
}
