package gamefile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxNest is the largest number of variations within variations.
const maxNest = 10000

// node is a node of a game tree in SGF or GGF.
type node struct {
	place
	isStart    bool // it may set up pieces
	properties []property
	children   []*node // the main line first
}

// property is a property of a node.
type property struct {
	place
	id     string // capitals only
	values []string
}

// value returns the first value.
func (p *property) value() string { return strings.TrimSpace(p.values[0]) }

// find returns a property, an empty one if the node has none.
func (n *node) find(id string) *property {
	for i := range n.properties {
		if n.properties[i].id == id {
			return &n.properties[i]
		}
	}
	return &property{place: n.place, values: []string{""}}
}

func (n *node) get(id string) string { return n.find(id).value() }

// draft returns what SGF and GGF say about a game in the same way.
func (n *node) draft(comment string) *draft {
	return &draft{
		coloured: true, Players: [2]string{n.get("PB"), n.get("PW")}, Date: n.get("DT"), Event: n.get("EV"), Place: n.get("PC"),
		Comment: comment,
	}
}

// readTree reads a game in SGF or GGF.
func (r *Reader) readTree() (*Record, error) {
	root, err := r.nextTree()
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(root.get("GM"), "othello") {
		r.Format = GGF
		return readGGF(r.game, root)
	}
	r.Format = SGF
	return readSGF(r.game, root)
}

// nextTree reads the next game tree. It skips text before it, and after an error of syntax everything up to a root with
// GM, FF or LUDUS: trees without one are variations of the wrong game.
func (r *Reader) nextTree() (*node, error) {
	s := &r.source
	for last := byte(0); ; {
		s.size = 0
		b, err := s.next()
		switch {
		case err != nil:
			return nil, err
		case b <= ' ':
			continue
		case b != ';' || last != '(':
			last = b
			continue
		}
		last = 0
		start := s.place
		root, err := s.tree()
		if r.lost && root.get("GM")+root.get("FF")+root.get("LUDUS") == "" {
			continue
		}
		r.lost = err != nil
		switch {
		case errors.Is(err, io.EOF):
			return nil, errorAt(start, 0, errors.New("the file ends within this game: a ) is missing"))
		case err != nil:
			return nil, errorAt(s.place, 0, err)
		}
		return root, nil
	}
}

// tree parses a game tree behind its "(;". It returns the root even if there is an error.
func (s *source) tree() (*node, error) {
	current := &node{place: s.place}
	root, open := current, []*node{nil} // nodes before which a ( stands
	for {
		b, err := s.visible()
		switch {
		case err != nil:
			return root, err
		case b == ';':
			s.size += nodeSize
			next := &node{place: s.place}
			current.children = append(current.children, next)
			current = next
		case b == '(' && len(open) > maxNest:
			return root, fmt.Errorf("variations are nested more than %d deep", maxNest)
		case b == '(':
			open = append(open, current)
		case b == ')':
			current, open = open[len(open)-1], open[:len(open)-1]
			if len(open) == 0 {
				return root, nil
			}
		case isLetter(b):
			p, err := s.property(b)
			if err != nil {
				return root, err
			}
			current.properties = append(current.properties, p)
		default:
			return root, fmt.Errorf("%q is not expected here; after a value, a property such as B[f5], a node ; or a ) may follow", b)
		}
	}
}

func isLetter(b byte) bool { return 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' }

// property parses a property from its first letter. Small letters in its name do not count, as in SGF 3: GaMe is GM.
func (s *source) property(b byte) (property, error) {
	p := property{place: s.place}
	s.size += nodeSize
	var err error
	for ; err == nil && isLetter(b); b, err = s.visible() {
		if b < 'a' && len(p.id) < 64 {
			p.id += string(b)
		}
	}
	switch {
	case err != nil:
	case p.id == "":
		err = errors.New("the name of a property needs capital letters, such as B[f5]")
	case b != '[':
		err = fmt.Errorf("the property %s has no value in brackets", p.id)
	}
	for err == nil {
		var value string
		value, err = s.text()
		p.values = append(p.values, value)
		for s.peek() != 0 && s.peek() <= ' ' {
			s.next() // an error comes back later
		}
		if s.peek() != '[' {
			break
		}
		s.next()
	}
	return p, err
}

// text parses a value up to its closing bracket. Of two closing brackets the first is part of the value: LittleGolem
// writes names without escapes.
func (s *source) text() (string, error) {
	var text []byte
	for {
		b, err := s.next()
		switch {
		case err == nil && b == ']' && s.peek() != ']':
			return decode(text), nil
		case err == nil && b == '\\':
			b, err = s.next()
			if b == '\n' { // the line goes on
				continue
			}
		}
		if err != nil {
			return "", err
		}
		text = append(text, b)
	}
}

// escaper writes a value of SGF.
var escaper = strings.NewReplacer("\\", "\\\\", "]", "\\]")

// properties writes the properties of a node that are not empty, given as names and values. Only comments have more
// than one line.
func properties(escaper *strings.Replacer, pairs ...string) (text string) {
	for pair := range slices.Chunk(pairs, 2) {
		id, value := pair[0], pair[1]
		if id != "C" && id != "CO" {
			value = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(value)
		}
		if value != "" {
			text += id + "[" + escaper.Replace(value) + "]"
		}
	}
	return text
}

// known returns a move's value times a factor, and its seconds, as files write them; "" if unknown. digits after the
// point are written, as many as needed if it is -1.
func (m *Move) known(factor float64, digits int) (value, seconds string) {
	if m.Value != nil {
		value = strconv.FormatFloat(*m.Value*factor+0, 'f', digits, 64) // + 0 turns -0 into 0
	}
	if m.Seconds > 0 {
		seconds = strconv.FormatFloat(m.Seconds, 'f', digits, 64)
	}
	return value, seconds
}
