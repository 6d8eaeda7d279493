package games

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
)

// maxLine is the longest line of a transcript in bytes; the longest real ones have a few thousand.
const maxLine = 1 << 20

// TranscriptCounts says what a transcript held.
type TranscriptCounts struct{ Games, Positions int }

// VerifyTranscript replays a referee's transcript of the game g and compares, for each position, the mover, the number of legal
// moves and all of them in text order, and at the end both players' goals. A transcript reads:
//
//	game 1
//	red 7 (mark 3 0) | (mark 1 0);(mark 2 0);     mover, number of legal moves, move played | legal moves in text order
//	goals red=[100] yellow=[0]
//
// TranscriptCounts counts the whole games and the positions (mover lines) that agree. The error names the line, the game and the
// first difference; a transcript that has no game or ends within one is an error as well.
func VerifyTranscript(g *env.Game, r io.Reader) (TranscriptCounts, error) {
	v := verifier{game: g, byText: actionsByText(g)}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if err := v.line(line); err != nil {
			return v.report, v.locate(number, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return v.report, v.locate(number+1, fmt.Errorf("the line is longer than %d bytes", maxLine))
	} else if err != nil {
		return v.report, fmt.Errorf("reading after line %d: %w", number, err)
	}
	switch {
	case v.state != nil:
		return v.report, v.locate(number, errors.New("the transcript ends before the goals line of this game"))
	case v.report.Games == 0:
		return v.report, errors.New("the transcript has no game; one begins with a line like \"game 1\"")
	}
	return v.report, nil
}

// verifier replays a transcript line by line.
type verifier struct {
	game   *env.Game
	byText []env.Action // all actions in text order
	report TranscriptCounts
	name   string    // of the game being replayed, as in the transcript
	state  env.State // nil between games
	legal  []env.Action
}

// actionsByText lists all actions that have a text in the order of their texts.
func actionsByText(g *env.Game) []env.Action {
	var list []env.Action
	for a, text := range g.ActionTexts {
		if text != "" {
			list = append(list, env.Action(a))
		}
	}
	slices.SortFunc(list, func(a, b env.Action) int { return strings.Compare(g.ActionTexts[a], g.ActionTexts[b]) })
	return list
}

// locate says where an error was found.
func (v *verifier) locate(line int, err error) error {
	if v.name == "" {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return fmt.Errorf("line %d, %s: %w", line, v.name, err)
}

// line checks one line that is not blank.
func (v *verifier) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "game":
		return v.begin(line, rest)
	case v.state == nil:
		return fmt.Errorf("want a line like \"game 1\", got %q", short(line))
	case word == "goals":
		return v.end(rest)
	}
	return v.position(word, rest)
}

// begin starts the game of a line like "game 1".
func (v *verifier) begin(line, number string) error {
	if v.state != nil {
		return errors.New("the next game begins before the goals line of this one")
	}
	if _, err := strconv.Atoi(strings.TrimSpace(number)); err != nil {
		return fmt.Errorf("want a line like \"game 1\", got %q", short(line))
	}
	v.name, v.state = line, v.game.NewState()
	return nil
}

// position checks a mover line, "red 7 (mark 3 0) | (mark 1 0);(mark 2 0);", and plays its move.
func (v *verifier) position(mover, rest string) error {
	players := v.game.Players
	if mover != players[0] && mover != players[1] {
		return fmt.Errorf("unknown player %q; the players are %s and %s", short(mover), players[0], players[1])
	}
	if v.state.Done() {
		return fmt.Errorf("transcript has %s to move, but the game is over with %s", mover, v.goalsText())
	}
	if want := players[v.state.Player()]; mover != want {
		return fmt.Errorf("transcript has %s to move, the game has %s", mover, want)
	}
	head, list, ok := strings.Cut(rest, "|")
	number, played, hasMove := strings.Cut(strings.TrimSpace(head), " ")
	size, err := strconv.Atoi(number)
	if !ok || !hasMove || err != nil {
		return fmt.Errorf("a position reads like \"%s 2 MOVE | MOVE;MOVE;\", got %q", mover, short(mover+" "+rest))
	}
	if err := v.compareLegal(size, list); err != nil {
		return err
	}
	a, err := v.game.ParseAction(played)
	if err != nil || !slices.Contains(v.legal, a) {
		return fmt.Errorf("the move played, %q, is not legal", short(strings.TrimSpace(played)))
	}
	v.state.Apply(a)
	v.report.Positions++
	return nil
}

// compareLegal compares the position's legal moves with a transcript's number and list of them.
func (v *verifier) compareLegal(size int, list string) error {
	v.legal = v.state.Legal(v.legal[:0])
	if size != len(v.legal) {
		return fmt.Errorf("transcript counts %d legal moves, the game has %d", size, len(v.legal))
	}
	rest := strings.TrimSpace(list)
	for _, a := range v.byText {
		if _, legal := slices.BinarySearch(v.legal, a); !legal {
			continue
		}
		text, after, ok := strings.Cut(rest, ";")
		if want := v.game.ActionTexts[a]; !ok || text != want {
			return fmt.Errorf("legal moves differ: transcript lists %q where the game has %q", short(text), want)
		}
		rest = after
	}
	if rest != "" {
		return fmt.Errorf("legal moves differ: transcript goes on with %q after the last of the game", short(rest))
	}
	return nil
}

// end compares the goals of a line like "goals red=[100] yellow=[0]", of which it is given what follows the first word.
func (v *verifier) end(text string) error {
	if !v.state.Done() {
		return fmt.Errorf("transcript ends the game, but %s is to move", v.game.Players[v.state.Player()])
	}
	if want := v.goalsText(); strings.Join(strings.Fields(text), " ") != want {
		return fmt.Errorf("transcript has goals %q, the game has %q", short(text), want)
	}
	v.report.Games++
	v.state = nil
	return nil
}

// goalsText writes the game's goals as a transcript does.
func (v *verifier) goalsText() string {
	goals := v.state.Goals()
	return fmt.Sprintf("%s=[%d] %s=[%d]", v.game.Players[0], goals[0], v.game.Players[1], goals[1])
}

// short cuts text for an error message.
func short(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}

// Perft counts the move sequences of exactly depth moves, 0 or more, from the starting position; a game that ends
// earlier has none. It fails only if ctx ends.
func Perft(ctx context.Context, g *env.Game, depth int) (uint64, error) {
	if depth == 0 {
		return 1, ctx.Err()
	}
	levels := make([]perftLevel, depth)
	for i := range levels {
		levels[i].state = g.NewState()
	}
	return perft(ctx, levels), ctx.Err()
}

// perftLevel is the scratch of one depth.
type perftLevel struct {
	state env.State
	legal []env.Action
}

// perft counts the sequences of len(levels) moves from the first level's state. The count is wrong if ctx ends.
func perft(ctx context.Context, levels []perftLevel) uint64 {
	l := &levels[0]
	if len(levels) > 2 && ctx.Err() != nil {
		return 0
	}
	l.legal = l.state.Legal(l.legal[:0])
	if len(levels) == 1 {
		return uint64(len(l.legal))
	}
	total := uint64(0)
	for _, a := range l.legal {
		levels[1].state.CopyFrom(l.state)
		levels[1].state.Apply(a)
		total += perft(ctx, levels[1:])
	}
	return total
}
