package gamefile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
)

// start returns the nodes that may set up pieces, and marks them: the root and those that follow it, up to the first
// move or variation.
func (n *node) start() []*node {
	n.isStart = true
	list := []*node{n}
	for !n.isMove() && len(n.children) == 1 && !n.children[0].isMove() {
		n = n.children[0]
		n.isStart = true
		list = append(list, n)
	}
	return list
}

func (n *node) isMove() bool {
	return slices.ContainsFunc(n.properties, func(p property) bool { return p.id == "B" || p.id == "W" })
}

// setUp returns moves that lead to the position that a start sets up, none for the game's usual start, which Othello
// programs write out. Other positions are possible where a move places a stone and takes none. first is the first move
// after it, if there is one.
func setUp(game *env.Game, start []*node, first []entry) (list []entry, err error) {
	var stones [2][]entry // black's and white's
	var turn property
	for _, n := range start {
		for _, p := range n.properties {
			switch p.id {
			case "AE":
				return nil, errorAt(p.place, 0, fmt.Errorf("AE[%s] takes away pieces; ludus reads AB and AW only", p.value()))
			case "PL":
				turn = p
			case "AB", "AW":
				for _, value := range p.values {
					colour := strings.Index("BW", p.id[1:])
					stones[colour] = append(stones[colour], entry{Move: strings.TrimSpace(value), place: p.place, by: p.id[1:], isSetUp: true})
				}
			}
		}
	}
	all := slices.Concat(stones[0], stones[1])
	if len(all) == 0 {
		return nil, nil
	}
	number := numberOf(game)
	if number != "4" && number != "11" { // no moves but stones that stay
		return nil, checkUsual(game, all)
	}
	black, white := len(stones[0]), len(stones[1])
	next := "BW"[min(1, max(0, black-white)):][:1]
	switch {
	case turn.id != "":
		next = strings.ToUpper(turn.value() + " ")[:1]
	case len(first) > 0:
		next = first[0].by
	}
	lead := strings.Index("BW", next) // of black's stones, with that player to move
	_, err = game.ParseAction("swap")
	switch {
	case lead < 0:
		return nil, errorAt(turn.place, 0, fmt.Errorf("PL[%s]: it must be B or W", turn.value()))
	case black-white == lead-1 && err == nil: // white's first stone was black's before a swap
		mirrored := stones[1][0]
		mirrored.Move, mirrored.by = unswapped(game, mirrored.Move), "B"
		list = []entry{mirrored, {Move: "swap", place: mirrored.place, by: "W", isSetUp: true}}
		stones[1] = stones[1][1:]
	case black-white != lead:
		return nil, errorAt(all[0].place, 0, fmt.Errorf("no game leads to this position: it has %d black and %d white stones, and %s is to move; "+
			"players take turns, and black begins", black, white, map[string]string{"B": "black", "W": "white"}[next]))
	}
	for i := range stones[0] {
		list = append(list, stones[0][i])
		if i < len(stones[1]) {
			list = append(list, stones[1][i])
		}
	}
	return list, nil
}

// unswapped returns the cell of First's stone that a swap turns into Second's on a cell.
func unswapped(game *env.Game, text string) string {
	p := &position{game: game, exchanged: game.Family == "hex"}
	cell, _ := p.cell(text)
	if cell < 0 {
		return text // which is an error when it is played
	}
	return game.CellName(int32(cell))
}

// checkUsual returns an error if pieces do not stand so when a game starts.
func checkUsual(game *env.Game, pieces []entry) error {
	p := &position{game: game, coloured: true}
	usual := game.NewState().Pieces(nil)
	for _, e := range pieces {
		cell, _ := p.cell(e.Move)
		if cell < 0 || !game.Drawing.IsOf(usual[cell], p.player(e.by)) {
			return errorAt(e.place, 0, fmt.Errorf("A%s[%s]: ludus plays from the usual starting position of %s only", e.by, e.Move, game.Name))
		}
	}
	return nil
}

// errSetUp explains why a stone cannot be set up.
func errSetUp(e *entry, state env.State, err error) error {
	if state.Done() {
		err = errors.New("the position is that of a finished game")
	}
	return fmt.Errorf("A%s[%s]: %w", e.by, e.Move, err)
}
