package games

import (
	"bufio"
	"bytes"
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

// TranscriptCounts says how many games and positions of a transcript agree with the rules.
type TranscriptCounts struct{ Games, Positions int }

// VerifyTranscript replays a referee's transcript of game g. For each position it compares the mover, the number of
// legal moves and all of them in text order; at the end, both players' goals. A transcript reads:
//
//	game 1
//	red 7 (mark 3 0) | (mark 1 0);(mark 2 0);     mover, number of legal moves, move played | legal moves in text order
//	goals red=[100] yellow=[0]
//
// It returns the number of whole games and of positions (mover lines) that agree. The error names the line, the game
// and the first difference. A transcript without a game, or one that ends within a game, is an error too.
func VerifyTranscript(g *env.Game, r io.Reader) (TranscriptCounts, error) {
	v := verifier{game: g}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := string(bytes.TrimSpace(env.SkipByteOrderMark(lines.Bytes())))
		if line == "" {
			continue
		}
		if err := v.line(line); err != nil {
			return v.counts, v.locate(number, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return v.counts, v.locate(number+1, fmt.Errorf("the line is longer than %d bytes", maxLine))
	} else if err != nil {
		return v.counts, fmt.Errorf("reading after line %d: %w", number, err)
	}
	switch {
	case v.replayer != nil:
		return v.counts, v.locate(number, errors.New("the transcript ends before the goals line of this game"))
	case v.counts.Games == 0:
		return v.counts, errors.New("the transcript has no game; one begins with a line like \"game 1\"")
	}
	return v.counts, nil
}

// verifier replays a transcript line by line.
type verifier struct {
	game     *env.Game
	counts   TranscriptCounts
	name     string        // of the current game, as in the transcript
	replayer *env.Replayer // nil between games
}

// locate adds the line number and the game's name to an error.
func (v *verifier) locate(line int, err error) error {
	if v.name == "" {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return fmt.Errorf("line %d, %s: %w", line, v.name, err)
}

// line checks one line of a transcript; it is not blank.
func (v *verifier) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "game":
		return v.begin(line, rest)
	case v.replayer == nil:
		return fmt.Errorf("want a line like \"game 1\", got %s", env.Quote(line))
	case word == "goals":
		return v.end(rest)
	}
	return v.position(word, rest)
}

// begin starts the game of a line like "game 1".
func (v *verifier) begin(line, number string) error {
	if v.replayer != nil {
		return errors.New("the next game begins before the goals line of this one")
	}
	if _, err := strconv.Atoi(strings.TrimSpace(number)); err != nil {
		return fmt.Errorf("want a line like \"game 1\", got %s", env.Quote(line))
	}
	v.name, v.replayer = line, env.NewReplayer(v.game)
	return nil
}

// position checks a mover line, such as "red 7 (mark 3 0) | (mark 1 0);(mark 2 0);", and plays its move.
func (v *verifier) position(mover, rest string) error {
	players, state := v.game.Players, v.replayer.State
	if !slices.Contains(players[:], mover) {
		return fmt.Errorf("unknown player %s; the players are %s and %s", env.Quote(mover), players[0], players[1])
	}
	if state.Done() {
		return fmt.Errorf("the transcript has %s to move, but the game is over with %s", mover, v.goals())
	}
	if want := players[state.Player()]; mover != want {
		return fmt.Errorf("the transcript has %s to move, the game has %s", mover, want)
	}
	head, list, ok := strings.Cut(rest, "|")
	number, move, hasMove := strings.Cut(strings.TrimSpace(head), " ")
	size, err := strconv.Atoi(number)
	if !ok || !hasMove || err != nil {
		return fmt.Errorf("a position reads like \"%s 2 MOVE | MOVE;MOVE;\", got %s", mover, env.Quote(mover+" "+rest))
	}
	if err := v.compareLegal(size, list); err != nil {
		return err
	}
	a, err := v.game.ParseAction(move)
	if err == nil {
		err = v.replayer.Play(a)
	}
	if err != nil {
		return err
	}
	v.counts.Positions++
	return nil
}

// compareLegal compares the position's legal moves with a transcript's number and list of them.
func (v *verifier) compareLegal(size int, list string) error {
	want := v.game.Texts(v.replayer.Legal)
	slices.Sort(want)
	if size != len(want) {
		return fmt.Errorf("the transcript counts %d legal moves, the game has %d", size, len(want))
	}
	rest := strings.TrimSpace(list)
	for _, text := range want {
		got, after, ok := strings.Cut(rest, ";")
		if !ok || got != text {
			return fmt.Errorf("legal moves differ: the transcript lists %s where the game has %q", env.Quote(got), text)
		}
		rest = after
	}
	if rest != "" {
		return fmt.Errorf("legal moves differ: the transcript lists %s after the game's last", env.Quote(rest))
	}
	return nil
}

// end compares the goals of a line like "goals red=[100] yellow=[0]"; text is what follows the first word.
func (v *verifier) end(text string) error {
	if state := v.replayer.State; !state.Done() {
		return fmt.Errorf("the transcript ends the game, but %s is to move", v.game.Players[state.Player()])
	}
	if want := v.goals(); strings.Join(strings.Fields(text), " ") != want {
		return fmt.Errorf("the transcript has goals %s, the game has %q", env.Quote(text), want)
	}
	v.counts.Games++
	v.replayer = nil
	return nil
}

// goals returns the game's goals as a transcript writes them.
func (v *verifier) goals() string {
	goals := v.replayer.State.Goals()
	return fmt.Sprintf("%s=[%d] %s=[%d]", v.game.Players[0], goals[0], v.game.Players[1], goals[1])
}
