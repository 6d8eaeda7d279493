package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/naming"
	"ludus/train/agent"
)

// request is a parsed request line.
type request struct {
	id          json.RawMessage // "null" if unreadable
	moves       []string
	simulations int // 0: the agent's default
}

// parse parses a request line. If there is an error, the request still has its id, if that is readable.
func parse(line []byte) (request, error) {
	r := request{id: json.RawMessage("null")}
	if len(line) > maxLine {
		return r, fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	fields, err := ParseFields(line, `{"id":"a1","moves":[]}`)
	if err != nil {
		return r, err
	}
	id, ok := fields["id"]
	switch {
	case !ok:
		return r, errors.New("id is missing; it is a string or a number")
	case id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return r, errors.New("id must be a string or a number")
	}
	r.id = id
	if err := fields.RejectUnknown("id", "moves", "simulations"); err != nil {
		return r, err
	}
	if r.moves, err = fields.Moves(); err != nil {
		return r, err
	}
	r.simulations, err = fields.Simulations(1, agent.MaxSimulations)
	return r, err
}

// Fields holds the undecoded fields of a JSON request.
type Fields map[string]json.RawMessage

// ParseFields parses a JSON object. The error shows example as a valid request.
func ParseFields(data []byte, example string) (Fields, error) {
	var f Fields
	err := json.Unmarshal(env.SkipByteOrderMark(data), &f)
	if err == nil && f != nil {
		return f, nil
	}
	why := "this is JSON, but not an object"
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		why = fmt.Sprintf("byte %d: %v", syntax.Offset, err)
	}
	return nil, fmt.Errorf("a request is a JSON object such as %s; %s", example, why)
}

// RejectUnknown returns an error if there are fields other than known.
func (f Fields) RejectUnknown(known ...string) error {
	for _, key := range slices.Sorted(maps.Keys(f)) {
		if slices.Contains(known, key) {
			continue
		}
		if near := naming.Nearest(key, known); near != "" {
			return fmt.Errorf("unknown field %s; did you mean %q?", env.Quote(key), near)
		}
		return fmt.Errorf("unknown field %s; known: %s", env.Quote(key), strings.Join(known, ", "))
	}
	return nil
}

// Moves decodes the field "moves", a list of strings. It returns nil if the field is missing.
func (f Fields) Moves() (moves []string, err error) {
	raw, ok := f["moves"]
	if !ok {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &moves); err != nil || moves == nil {
		return nil, errors.New("moves must be a list of strings")
	}
	return moves, nil
}

// Simulations decodes the field "simulations", an integer in [least, most]; 0 if the field is missing.
func (f Fields) Simulations(least, most int) (int, error) {
	raw, ok := f["simulations"]
	if !ok {
		return 0, nil
	}
	x, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || !(x >= float64(least) && x <= float64(most)) || x != float64(int(x)) {
		return 0, fmt.Errorf("simulations must be a whole number from %d to %d", least, most)
	}
	return int(x), nil
}
