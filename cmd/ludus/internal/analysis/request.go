package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ludus/env"
	"ludus/train/arena"
)

// request is a line that was read; simulations 0 means the agent's own number.
type request struct {
	id          json.RawMessage // null if it cannot be read
	moves       []string
	simulations int
}

var fields = []string{"id", "moves", "simulations"}

// parse reads a request. With an error its id is set as far as it can be read.
func parse(line []byte) (request, error) {
	r := request{id: json.RawMessage("null")}
	if len(line) > maxLine {
		return r, fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil || object == nil {
		return r, fmt.Errorf("a request is a JSON object such as {\"id\":\"a1\",\"moves\":[]}; %s", fault(err))
	}
	id, ok := object["id"]
	switch {
	case !ok:
		return r, errors.New("id is missing; it is a string or a number")
	case id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return r, errors.New("id must be a string or a number")
	}
	r.id = id
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if near := env.Nearest(key, fields); near != key {
			return r, unknownField(key, near)
		}
	}
	if raw, ok := object["moves"]; ok {
		if err := json.Unmarshal(raw, &r.moves); err != nil || r.moves == nil {
			return r, errors.New("moves must be a list of strings")
		}
	}
	if raw, ok := object["simulations"]; ok {
		return r, r.setSimulations(raw)
	}
	return r, nil
}

// setSimulations reads a whole number, however it is written: 1000 or 1e3.
func (r *request) setSimulations(raw []byte) error {
	x, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || !(x >= 1 && x <= arena.MaxSimulations) || x != float64(int(x)) {
		return fmt.Errorf("simulations must be a whole number from 1 to %d", arena.MaxSimulations)
	}
	r.simulations = int(x)
	return nil
}

func unknownField(key, near string) error {
	if near == "" {
		return fmt.Errorf("unknown field %s; there are id, moves and simulations", short(key))
	}
	return fmt.Errorf("unknown field %s; did you mean %q?", short(key), near)
}

// fault says why a line is no object.
func fault(err error) string {
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		return fmt.Sprintf("byte %d: %v", syntax.Offset, err)
	}
	return "this is another JSON value"
}
