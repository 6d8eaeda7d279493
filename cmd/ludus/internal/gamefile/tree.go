package gamefile

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// node is a node of a game tree in SGF or GGF.
type node struct {
	place
	properties []property
	children   []*node // the main line first
}

// property is a property of a node.
type property struct {
	place
	id     string // capitals only
	values []string
}

// get returns the first value of a property, "" if there is none.
func (n *node) get(id string) string {
	for i := range n.properties {
		if n.properties[i].id == id {
			return strings.TrimSpace(n.properties[i].values[0])
		}
	}
	return ""
}

// at returns the place of a property, that of the node if there is none.
func (n *node) at(id string) place {
	for i := range n.properties {
		if n.properties[i].id == id {
			return n.properties[i].place
		}
	}
	return n.place
}

// readTree reads a game in SGF or GGF.
func (r *Reader) readTree() (*Record, error) {
	root, err := r.nextTree()
	if err != nil {
		return nil, err
	}
	if oneOf(root.get("GM"), "othello") {
		return readGGF(r.game, root)
	}
	return readSGF(r.game, root)
}

// nextTree reads the next game tree. It skips text before it, and after an error of syntax everything up to a line that
// begins a game.
func (r *Reader) nextTree() (*node, error) {
	s := &r.source
	for {
		b, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, fmt.Errorf("reading line %d: %w", s.line, err)
		case b != '(' || r.lost && s.column > 1:
			continue
		}
		s.budget = maxGame
		t := tree{source: s}
		b, err = t.visible()
		if err != nil || b != ';' {
			continue // text before the game
		}
		start := s.place()
		root, err := t.parse()
		if err == nil && r.lost && root.get("GM") == "" && root.get("FF") == "" {
			continue // a variation of the game that was wrong
		}
		r.games++
		r.lost = err != nil
		switch {
		case errors.Is(err, io.EOF):
			return nil, errorAt(start, 0, errors.New("the file ends within this game: a ) is missing"))
		case err != nil:
			return nil, errorAt(s.place(), 0, err)
		}
		return root, nil
	}
}

// tree parses a game tree.
type tree struct{ *source }

// visible returns the next byte that is no white space.
func (t tree) visible() (byte, error) {
	for {
		b, err := t.next()
		if err != nil || b > ' ' {
			return b, err
		}
	}
}

// parse parses a tree behind its "(;".
func (t tree) parse() (*node, error) {
	current := &node{place: t.place()}
	root, open := current, []*node{nil} // nodes before which a ( stands
	for {
		b, err := t.visible()
		switch {
		case err != nil:
			return nil, err
		case t.budget < 0:
			return nil, errTooLong
		case b == ';':
			next := &node{place: t.place()}
			current.children = append(current.children, next)
			current = next
		case b == '(' && len(open) > maxNest:
			return nil, fmt.Errorf("variations are nested more than %d deep", maxNest)
		case b == '(':
			open = append(open, current)
		case b == ')':
			current, open = open[len(open)-1], open[:len(open)-1]
			if len(open) == 0 {
				return root, nil
			}
		case isLetter(b):
			p, err := t.property(b)
			if err != nil {
				return nil, err
			}
			current.properties = append(current.properties, p)
		default:
			return nil, fmt.Errorf("%q is not expected here; after a value, a property such as B[f5], a node ; or a ) may follow", b)
		}
	}
}

func isLetter(b byte) bool { return 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' }

// property parses a property from its first letter. Small letters in its name do not count, as in SGF 3: GaMe is GM.
func (t tree) property(b byte) (property, error) {
	p := property{place: t.place()}
	var err error
	for ; err == nil && isLetter(b); b, err = t.visible() {
		if b < 'a' && len(p.id) < 64 {
			p.id += string(b)
		}
	}
	if err == nil && b != '[' {
		err = fmt.Errorf("the property %s has no value in brackets", p.id)
	}
	for err == nil {
		var value string
		value, err = t.value()
		p.values = append(p.values, value)
		for err == nil && t.peek() != 0 && t.peek() <= ' ' {
			t.next() // cannot fail: peek has seen it
		}
		if t.peek() != '[' {
			break
		}
		t.next()
	}
	return p, err
}

// value parses a value up to its closing bracket. Of two closing brackets the first is part of the value: LittleGolem
// writes names without escapes.
func (t tree) value() (string, error) {
	var text []byte
	for {
		b, err := t.next()
		switch {
		case err != nil:
			return "", err
		case t.budget < 0:
			return "", errTooLong
		case b == ']' && t.peek() != ']':
			return decode(text), nil
		case b == '\\':
			b, err = t.next()
			if err != nil {
				return "", err
			}
			if b == '\r' && t.peek() == '\n' {
				b, _ = t.next()
			}
			if b == '\n' { // the line goes on
				continue
			}
		case b == '\r':
			continue
		}
		text = append(text, b)
	}
}
