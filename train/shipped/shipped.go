package shipped

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/model/infer"
	"ludus/train/agent"
)

// Loader returns a loader for a game's shipped network, with its strength dial, and for networks in files, which it
// passes on to the loader files. A pooled network in a file plays every size of its game. The error about a missing run
// says how to train one.
func Loader(game *env.Game, files agent.Loader) agent.Loader {
	return func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
		if r.Shipped() {
			return load(game, r)
		}
		weights, origin, err := files(r)
		if err != nil {
			return weights, origin, fmt.Errorf("%w%s", err, trainHint(game, r, err))
		}
		if weights.Config.Pooled && !game.Is(weights.Config.Game) {
			trained, err := games.Find(weights.Config.Game)
			if err == nil && isOtherSize(trained, game) {
				weights, err = weights.Resize(trained, game)
				origin.TrainedOn = trained.Name
				return weights, origin, err
			}
		}
		return weights, origin, nil
	}
}

// load loads the shipped network of a game. If only a similar game has one ([TrainedOn]), load resizes it.
func load(game *env.Game, r agent.Reference) (*infer.Weights, agent.Origin, error) {
	trained := TrainedOn(game)
	if trained == nil {
		trained = game
	}
	weights, origin, err := FileLoader(trained, zoo.Weights(trained.Name), Dial(game.Name))(r)
	if err != nil || trained == game {
		return weights, origin, err
	}
	if weights, err = weights.Resize(trained, game); err != nil {
		return nil, origin, fmt.Errorf("%w: %w", agent.ErrWeights, err)
	}
	origin.Digest, origin.TrainedOn = fmt.Sprintf("%x", sha256.Sum256(weights.Marshal())), trained.Name
	return weights, origin, nil
}

// FileLoader returns a loader for the reference zoo only. It loads a weights file as if the file were shipped for the
// game, with a strength dial. A nil file means that no agent is shipped.
func FileLoader(game *env.Game, file []byte, dial agent.Dial) agent.Loader {
	return func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
		origin := agent.Origin{Path: agent.Zoo, Generation: -1, Digest: fmt.Sprintf("%x", sha256.Sum256(file)), Dial: dial}
		switch {
		case !r.Shipped():
			return nil, agent.Origin{Generation: -1}, fmt.Errorf("%w in %v: only zoo can be loaded here", agent.ErrWeights, r)
		case file == nil:
			return nil, origin, fmt.Errorf("%w: no agent of %s is shipped; train one: %s", agent.ErrWeights, game.Name, trainCommand(game))
		case r.At != "":
			return nil, origin, fmt.Errorf("%w: zoo is one network, without @%s; a run in a folder zoo is ./zoo", agent.ErrWeights, r.At)
		}
		weights, err := infer.Unmarshal(file)
		if err != nil {
			return nil, origin, fmt.Errorf("%w in zoo: %w", agent.ErrWeights, err)
		}
		return weights, origin, nil
	}
}

// free are the names of game parameters that a network need not share with a game that it plays: those that give the
// size of the board, and the rule for lines longer than needed.
var free = []string{"size", "columns", "rows", "width", "height", "overline"}

// TrainedOn returns the game whose shipped network plays a game. That is the game itself or, among games that differ
// only in size or in whether longer lines win, the smallest larger one by number of cells; without one, the largest. It
// returns nil if there is none.
func TrainedOn(game *env.Game) (best *env.Game) {
	if zoo.Weights(game.Name) != nil {
		return game
	}
	for _, name := range zoo.Games() {
		other, err := games.New(name)
		if err != nil || !isOtherSize(other, game) {
			continue
		}
		cells := other.Tensor.Cells()
		if best == nil || best.Tensor.Cells() < min(cells, game.Tensor.Cells()) ||
			cells >= game.Tensor.Cells() && cells < best.Tensor.Cells() {
			best = other
		}
	}
	return best
}

// isOtherSize reports whether two games of a family differ only in what a network need not share.
func isOtherSize(a, b *env.Game) bool {
	shared := func(game *env.Game) []env.Param {
		return slices.DeleteFunc(slices.Clone(game.Params), func(p env.Param) bool { return slices.Contains(free, p.Name) })
	}
	return a.Family == b.Family && a.Sheet == "" && b.Sheet == "" && slices.Equal(shared(a), shared(b))
}

// Opponent is the agent against which a run of a game is measured while it trains: the shipped agent, or a search with
// random playouts if none was trained on this game.
func Opponent(game *env.Game) string {
	if zoo.CardOf(game.Name) == nil {
		return "mcts:200"
	}
	return agent.Zoo
}

// OpponentName names the opponent of a game's runs in a sentence.
func OpponentName(game *env.Game) string {
	if opponent := Opponent(game); opponent != agent.Zoo {
		return opponent
	}
	return "the shipped agent"
}

// Digest identifies the network shipped for a game in the matches of a run: the first 16 digits of its SHA-256; "" if
// none was trained on this game.
func Digest(game *env.Game) string {
	card := zoo.CardOf(game.Name)
	if card == nil {
		return ""
	}
	return card.Network.SHA256[:16]
}

// trainHint returns a hint for the error about a missing run that is named like the game: the command that trains it.
func trainHint(game *env.Game, r agent.Reference, err error) string {
	if !errors.Is(err, fs.ErrNotExist) || filepath.Base(r.Path) != naming.FileName(game.Name) {
		return ""
	}
	hint := "; train one: " + trainCommand(game)
	if TrainedOn(game) != nil {
		hint += ", or use zoo, the shipped agent"
	}
	return hint
}

// trainCommand returns the command that trains an agent for a game. For a game of a rule sheet the file's name is
// unknown, so a placeholder stands for it.
func trainCommand(game *env.Game) string {
	if game.Sheet != "" {
		return "ludus train SHEET.kif"
	}
	return "ludus train " + naming.ShellWord(game.Name)
}

// Dial returns the strength dial of the agent shipped for a game; nil if there is none. Its intervals are widened to
// contain the ratings measured by the dial's check.
func Dial(game string) (d agent.Dial) {
	card := zoo.CardOf(game)
	if card == nil || card.Dial == nil {
		return nil
	}
	for _, s := range card.Dial.Strengths {
		off := deviation(card.Dial.Checks, s.Rating)
		s.Low, s.High = s.Rating-math.Hypot(s.Rating-s.Low, off), s.Rating+math.Hypot(s.High-s.Rating, off)
		d = append(d, agent.Strength(s))
	}
	return d
}

// deviation returns how far, in Elo, measured ratings are from the claimed ones near a rating: the larger deviation of
// the nearest checks below and above. checks ascend by claim.
func deviation(checks []zoo.DialCheck, rating float64) (off float64) {
	for i, c := range checks {
		below := i+1 < len(checks) && float64(checks[i+1].Elo) <= rating // another check is nearer from below
		above := i > 0 && float64(checks[i-1].Elo) > rating              // another check is nearer from above
		if !below && !above {
			off = max(off, math.Abs(float64(c.Elo)-c.Rating.Value))
		}
	}
	return off
}
