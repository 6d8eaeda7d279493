package notation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ludus/env"
)

// Parser reads the moves of one game. It is safe for concurrent use; its fields are read-only.
type Parser struct {
	Drops bool     // a column alone names a move, see [env.Game.Drops]
	Verbs []string // verbs of official texts, which may precede the cells of a move

	game    *env.Game
	moves   []move // indexed by action
	symbols string // characters of words without letters and digits, such as →, in texts of moves
}

// move holds an action's name and official text as tokens, without the verb.
type move struct {
	verb           string
	verbTokens     []string
	plain          bool // the move's name has no verb
	name, official []string
}

// NewParser returns a parser for a game's moves.
func NewParser(game *env.Game) *Parser {
	p := &Parser{game: game, Drops: game.Drops(), moves: make([]move, game.NumActions()), symbols: symbolsIn(game.ActionTexts)}
	for a, text := range game.ActionTexts {
		if text == "" {
			continue
		}
		verb, name := game.Verb(env.Action(a)), game.ActionNames[a]
		rest, withVerb := strings.CutPrefix(name+" ", verb+" ")
		p.moves[a] = move{strings.ToLower(verb), p.tokens(verb), !withVerb, p.tokens(rest), p.tokens(strings.Join(words(text)[1:], " "))}
		if game.Drawing.ActionCells[a] != env.NoCells && !slices.Contains(p.Verbs, verb) {
			p.Verbs = append(p.Verbs, verb)
		}
	}
	return p
}

// Replay is [env.ReplayText] for moves in any form that [Parser.Parse] reads.
func Replay(game *env.Game, moves []string) (env.State, []env.Action, error) {
	r := env.NewReplayer(game)
	var parser *Parser // created when a move is not written as its name
	for i, text := range moves {
		action, err := game.ParseAction(text)
		if !r.State.Done() && (err != nil || !slices.Contains(r.Legal, action)) {
			if parser == nil {
				parser = NewParser(game)
			}
			action, err = parser.Parse(r.State, r.Legal, text)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		err = r.Play(action)
		if err != nil {
			return nil, nil, err
		}
	}
	return r.State, r.Moves, nil
}

// Parse finds the legal move that a text names. state must not be terminal. The text may be the action's name or official
// text, or:
//   - the name with other separators or none: "b2b3", "b2 b3", "b2xb3";
//   - the official text without its verb: "r3 c3";
//   - either with the verb, which may be cut short: "b c3" for "block c3";
//   - one of the cells of a step, or the column's letter where pieces fall, if only one legal move has it.
//
// If no legal move fits, the error names one as an example; if several fit, it lists them.
func (p *Parser) Parse(state env.State, legal []env.Action, text string) (env.Action, error) {
	if a, err := p.game.ParseAction(text); err == nil {
		if slices.Contains(legal, a) {
			return a, nil
		}
		return 0, p.illegal(state, legal, a)
	}
	typed := p.tokens(text)
	if found := p.fitting(legal, typed, p.wholes); len(found) > 0 {
		return p.only(found, text)
	}
	for a := range p.moves {
		if p.fits(env.Action(a), typed, p.wholes) {
			return 0, p.illegal(state, legal, env.Action(a))
		}
	}
	if found := p.fitting(legal, typed, p.parts); len(found) > 0 {
		return p.only(found, text)
	}
	return 0, p.unreadable(legal, typed, text)
}

// only returns the single move found for a text, or an error that lists several.
func (p *Parser) only(found []env.Action, text string) (env.Action, error) {
	if len(found) > 1 {
		return 0, fmt.Errorf("%s is ambiguous: %s", env.Quote(text), p.list(found))
	}
	return found[0], nil
}

// wholes returns the token sequences by which a move may be written in full.
func (p *Parser) wholes(a env.Action) [][]string {
	return [][]string{p.moves[a].name, p.moves[a].official}
}

// parts returns the token sequences that name part of a move: one cell of a step, or the column where pieces fall. A
// cell has two tokens, its column and its row.
func (p *Parser) parts(a env.Action) [][]string {
	name := p.moves[a].name
	switch {
	case p.game.Drawing.ActionCells[a].From != env.NoCell:
		return [][]string{name[:2], name[2:]}
	case p.Drops:
		return [][]string{name[:1]}
	}
	return nil
}

// fitting returns the legal moves that match the typed tokens, in one of the ways to write a move that forms returns.
func (p *Parser) fitting(legal []env.Action, typed []string, forms func(env.Action) [][]string) []env.Action {
	return slices.DeleteFunc(slices.Clone(legal), func(a env.Action) bool { return !p.fits(a, typed, forms) })
}

// fits reports whether typed tokens are one of the forms of a move, perhaps after its verb. Without the verb, a move fits
// only if its name has none.
func (p *Parser) fits(a env.Action, typed []string, forms func(env.Action) [][]string) bool {
	m := &p.moves[a]
	if len(typed) == 0 || m.verb == "" {
		return false
	}
	n := 1 // number of typed tokens that name the verb
	if verb := len(m.verbTokens); verb <= len(typed) && slices.Equal(typed[:verb], m.verbTokens) {
		n = verb
	}
	return slices.ContainsFunc(forms(a), func(form []string) bool {
		return m.plain && slices.Equal(typed, form) || strings.HasPrefix(m.verb, typed[0]) && slices.Equal(typed[n:], form)
	})
}

// illegal returns an error that explains by the pieces on the board why an action is not legal.
func (p *Parser) illegal(state env.State, legal []env.Action, a env.Action) error {
	// pieces holds for each cell 0, or 1 plus the index of its kind of piece in d.Pieces.
	d, pieces, cells := &p.game.Drawing, state.Pieces(nil), p.game.Drawing.ActionCells[a]
	mover := state.Player()
	why := "is not legal now"
	if from := cells.From; from != env.NoCell {
		switch piece := pieces[from]; {
		case !d.IsPiece(piece):
			why = fmt.Sprintf("is not legal: no piece is on %s", p.game.CellName(from))
		case d.Pieces[piece-1].Neutral:
			why = fmt.Sprintf("is not legal: %s is on %s", d.Pieces[piece-1].Name, p.game.CellName(from))
		case !d.IsOf(piece, mover):
			why = fmt.Sprintf("is not legal: the piece on %s is %s", p.game.CellName(from), d.Pieces[piece-1].Name)
		case d.IsOf(pieces[cells.To], mover):
			why = fmt.Sprintf("is not legal: %s is on %s, too", d.Pieces[piece-1].Name, p.game.CellName(cells.To))
		}
	} else if to := cells.To; to != env.NoCell && d.IsPiece(pieces[to]) {
		why = fmt.Sprintf("is not legal: %s is on %s", d.Pieces[pieces[to]-1].Name, p.game.CellName(to))
	}
	same := slices.IndexFunc(legal, func(b env.Action) bool { return p.moves[b].verb == p.moves[a].verb })
	return fmt.Errorf("%s %s; moves look like %s", p.game.ActionNames[a], why, p.game.ActionNames[legal[max(same, 0)]])
}

// unreadable returns the error for a text that names no action of the game, legal or not.
func (p *Parser) unreadable(legal []env.Action, typed []string, text string) error {
	quoted := env.Quote(text)
	for _, a := range legal {
		if m := &p.moves[a]; len(typed) == 1 && len(m.name) > 0 && strings.HasPrefix(m.verb, typed[0]) {
			return fmt.Errorf("%s is incomplete; moves look like %s", quoted, p.game.ActionNames[a])
		}
	}
	return fmt.Errorf("%s is not a move of this game; moves look like %s", quoted, p.game.ActionNames[legal[0]])
}

// list joins the names of two or more moves with "or", or names the first ones of many.
func (p *Parser) list(actions []env.Action) string {
	const most = 8
	names := p.game.Names(actions[:min(len(actions), most)])
	if more := len(actions) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// tokens splits a text into words, numbers and the game's symbols, in lower case: "(mark r3 c3)" into mark, r, 3, c, 3. All
// other characters separate words, and so does an x between two cells ("takes"): "b2xc3" and "b2 x c3" are b, 2, c, 3. An x
// before a number is a column.
func (p *Parser) tokens(text string) (list []string) {
	var token []rune
	end := func(next rune) {
		column := string(token) == "x" && isDigit(next)
		if !column && len(list) > 0 && isNumber(list[len(list)-1]) && len(token) > 0 && token[0] == 'x' {
			token = token[1:]
		}
		if len(token) > 0 {
			list = append(list, string(token))
		}
		token = nil
	}
	for _, c := range strings.ToLower(text) {
		switch {
		case strings.ContainsRune(p.symbols, c):
			end(c)
			list = append(list, string(c))
		case !isDigit(c) && !isLetter(c):
			end(c)
		default:
			if len(token) > 0 && isDigit(c) != isDigit(token[0]) {
				end(c)
			}
			token = append(token, c)
		}
	}
	end(0)
	return list
}

// symbolsIn returns the characters of all words that have neither letters nor digits.
func symbolsIn(texts []string) (symbols string) {
	for _, text := range texts {
		for _, word := range words(text) {
			if !strings.ContainsFunc(word, func(c rune) bool { return isDigit(c) || unicode.IsLetter(c) || unicode.IsNumber(c) }) {
				symbols += word
			}
		}
	}
	return symbols
}

// words returns the words of an official text, without brackets.
func words(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == '(' || c == ')' || c == ' ' })
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// isLetter reports whether a character is part of a word: a letter, a mark on one, or a digit other than 0 to 9.
func isLetter(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c) && !isDigit(c)
}

func isNumber(token string) bool { return isDigit(rune(token[0])) }
