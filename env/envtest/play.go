package envtest

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
)

// checkPlay checks legal lists, outcomes and goals, tensors and boards in random games.
func checkPlay(g *env.Game) error {
	return eachPosition(g, 60, func(w *walk) error {
		if len(w.Moves) > g.MaxPlies {
			return w.errorf("%d plies, but MaxPlies is %d", len(w.Moves), g.MaxPlies)
		}
		if goals := w.State.Goals(); min(goals[0], goals[1]) < 0 || max(goals[0], goals[1]) > 100 {
			return w.errorf("goals %v are not within 0 to 100", goals)
		}
		if w.State.Done() {
			return checkEnd(w)
		}
		if outcome := w.State.Outcome(); outcome != env.Unfinished {
			return w.errorf("outcome %d before the end", outcome)
		}
		if err := checkLegal(w); err != nil {
			return err
		}
		return checkTensor(w)
	})
}

// checkLegal checks that Legal appends to dst, and that its list is ascending, not empty, and of actions with a text.
func checkLegal(w *walk) error {
	const sentinel = -7
	list := w.State.Legal([]env.Action{sentinel})
	if list[0] != sentinel || len(list) < 2 {
		return w.errorf("Legal must append at least one action to dst; got %v", list)
	}
	last := env.Action(-1)
	for _, a := range list[1:] {
		if a <= last || int(a) >= w.game.NumActions() {
			return w.errorf("legal actions are not ascending within [0, %d): %v", w.game.NumActions(), list[1:])
		}
		last = a
		if w.game.ActionTexts[a] == "" {
			return w.errorf("legal action %d has no text", a)
		}
	}
	return nil
}

// checkTensor checks that Encode writes its whole tensor and nothing else, with values within -1 to 1.
func checkTensor(w *walk) error {
	n := w.game.Tensor.Size()
	dst := make([]float32, n+1)
	for i := range dst {
		dst[i] = float32(math.NaN())
	}
	w.State.Encode(dst[:n])
	if dst[n] == dst[n] { // no longer NaN
		return w.errorf("Encode writes beyond its tensor")
	}
	for i, v := range dst[:n] {
		if !(v >= -1 && v <= 1) {
			return w.errorf("Encode leaves or writes %v at entry %d; want a value within -1 to 1", v, i)
		}
	}
	return nil
}

// checkEnd checks that a finished game has no legal moves and that its goals agree with its outcome.
func checkEnd(w *walk) error {
	if list := w.State.Legal(nil); len(list) != 0 {
		return w.errorf("the game is over, but %v are legal", list)
	}
	outcome, goals := w.State.Outcome(), w.State.Goals()
	if outcome < 0 || outcome >= len(w.game.Classes) {
		return w.errorf("outcome %d of %d classes", outcome, len(w.game.Classes))
	}
	class := w.game.Classes[outcome]
	switch {
	case class.Impossible:
		return w.errorf("class %s, which is said to be impossible", class.Name)
	case !w.game.GoalHead && goals != class.Goals:
		return w.errorf("goals %v in class %s", goals, class.Name)
	case (goals[0] > goals[1]) != (class.Utility > 0) || (goals[0] < goals[1]) != (class.Utility < 0):
		return w.errorf("goals %v in class %s of utility %v", goals, class.Name, class.Utility)
	}
	return nil
}

// checkRandomAction tests RandomAction at the interval boundaries: the smallest random number that selects each legal
// action must select it, and the number below must select the previous one (below 0 is 2^64-1, which selects the last).
func checkRandomAction(g *env.Game) error {
	return eachPosition(g, 60, func(w *walk) error {
		legal := w.State.Legal(nil)
		for i, want := range legal {
			low, rest := bits.Div64(uint64(i), 0, uint64(len(legal)))
			if rest > 0 {
				low++
			}
			if a := w.State.RandomAction(low); a != want {
				return w.errorf("RandomAction(%#x) is %d; want index %d of %v", low, a, i, legal)
			}
			previous := (i + len(legal) - 1) % len(legal)
			if a := w.State.RandomAction(low - 1); a != legal[previous] {
				return w.errorf("RandomAction(%#x) is %d; want index %d of %v", low-1, a, previous, legal)
			}
		}
		return nil
	})
}

// checkTerminalActions compares TerminalActions with the results of playing every legal action on a copy.
func checkTerminalActions(g *env.Game) error {
	sentinel := env.TerminalAction{Action: -7}
	next := g.NewState()
	return eachPositionAndReordering(g, 100, func(w *walk) error {
		want := []env.TerminalAction{sentinel}
		for _, a := range w.State.Legal(nil) {
			next.CopyFrom(w.State)
			next.Apply(a)
			if next.Done() {
				want = append(want, env.TerminalAction{Action: a, Outcome: next.Outcome()})
			}
		}
		if list := w.State.TerminalActions([]env.TerminalAction{sentinel}); !slices.Equal(list, want) {
			return w.errorf("TerminalActions appends %v to %v; want %v", list[1:], sentinel, want[1:])
		}
		return nil
	})
}

// checkCopies checks that a copy is the same position, that a move on a copy does not change the original, and that the
// original's next move does not change an earlier copy.
func checkCopies(g *env.Game) error {
	rng := rand.New(rand.NewPCG(2, 2))
	other := newWalk(g)
	dirty, board := g.NewState(), g.Board(g.NewState())
	return eachPosition(g, 5, func(w *walk) error {
		if g.Board(dirty) != board {
			return w.errorf("the last move changes a copy made before it")
		}
		if w.State.Done() {
			return nil
		}
		dirty.CopyFrom(other.State) // another game's position first: the copy must overwrite everything
		dirty.CopyFrom(w.State)
		if err := samePosition(g, dirty, w.State); err != nil {
			return w.errorf("copy: %v", err)
		}
		c := g.Copy(w.State)
		c.Apply(w.Legal[rng.IntN(len(w.Legal))])
		if err := samePosition(g, dirty, w.State); err != nil {
			return w.errorf("a move on a copy changes the original: %v", err)
		}
		board = g.Board(dirty)
		other.step(rng)
		if other.State.Done() {
			other = newWalk(g)
		}
		return nil
	})
}

// samePosition returns an error if two unfinished positions differ in key, player, goals, legal moves, tensor or board.
func samePosition(g *env.Game, a, b env.State) error {
	switch {
	case a.Key() != b.Key():
		return errors.New("the keys differ")
	case a.Done() != b.Done() || a.Player() != b.Player() || a.Goals() != b.Goals():
		return errors.New("done, the player or the goals differ")
	case !slices.Equal(a.Legal(nil), b.Legal(nil)):
		return errors.New("the legal moves differ")
	case !slices.Equal(tensor(g, a), tensor(g, b)):
		return errors.New("the tensors differ")
	case g.Board(a) != g.Board(b) || !slices.Equal(a.Pieces(nil), b.Pieces(nil)):
		return errors.New("the boards differ")
	}
	return nil
}

// checkKeys checks that equal keys are equal positions, and that a move changes the key.
func checkKeys(g *env.Game) error {
	seen := map[env.Key]env.State{}
	return eachPositionAndReordering(g, 60, func(w *walk) error {
		if w.State.Done() {
			return nil
		}
		k := w.State.Key()
		if first, ok := seen[k]; ok {
			if err := samePosition(g, first, w.State); err != nil {
				return w.errorf("equal keys: %v", err)
			}
			return nil
		}
		seen[k] = g.Copy(w.State)
		if a := w.Legal[0]; g.After(w.State, a).Key() == k {
			return w.errorf("the move %s does not change the key", g.ActionTexts[a])
		}
		return nil
	})
}

// checkSymmetricPlay checks that random games played again under each symmetry reach the images of their positions.
func checkSymmetricPlay(g *env.Game) error {
	for i, s := range g.Symmetries {
		err := eachPosition(g, 4, func(w *walk) error {
			if err := isImage(g, s, w.State, turned(g, w.Moves, i)); err != nil {
				return w.errorf("symmetry %d: %v", i, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkCanonicalKey checks that all images of a position have one canonical key, the least of their keys, and that the
// symmetry returned with it leads there. It reaches an image by playing the game again under a symmetry.
func checkCanonicalKey(g *env.Game) error {
	images := make([]env.State, len(g.Symmetries))
	return eachPositionAndReordering(g, 20, func(w *walk) error {
		for i := range images {
			images[i] = turned(g, w.Moves, i)
		}
		least := images[0].Key()
		for _, image := range images {
			if k := image.Key(); slices.Compare(k[:], least[:]) < 0 {
				least = k
			}
		}
		for i, image := range images {
			key, symmetry := image.CanonicalKey()
			if key != least || symmetry < 0 || symmetry >= len(images) {
				return w.errorf("CanonicalKey is %x by symmetry %d; want %x", key, symmetry, least)
			}
			if turned(g, w.Moves, i, symmetry).Key() != least {
				return w.errorf("CanonicalKey of image %d names symmetry %d, which leads to another key", i, symmetry)
			}
		}
		return nil
	})
}

// turned plays moves, each mapped by the symmetries in order, and returns the position.
func turned(g *env.Game, moves []env.Action, symmetries ...int) env.State {
	state := g.NewState()
	for _, a := range moves {
		for _, s := range symmetries {
			a = g.Symmetries[s].Actions[a]
		}
		state.Apply(a)
	}
	return state
}

// isImage returns an error if image is not the image of position a under symmetry s.
func isImage(g *env.Game, s env.Symmetry, a, image env.State) error {
	if a.Done() != image.Done() || a.Goals() != image.Goals() {
		return errors.New("done or the goals differ")
	}
	pieces := image.Pieces(nil)
	for cell, piece := range a.Pieces(nil) {
		if pieces[s.Cells[cell]] != piece {
			return fmt.Errorf("the pieces of cell %d differ", cell)
		}
	}
	if a.Done() {
		if a.Outcome() != image.Outcome() || len(a.WinningCells(nil)) != len(image.WinningCells(nil)) {
			return errors.New("the outcomes or the numbers of winning cells differ")
		}
		return nil
	}
	if a.Player() != image.Player() {
		return errors.New("the players differ")
	}
	if !slices.Equal(mapped(a.Legal(nil), s.Actions), image.Legal(nil)) {
		return errors.New("the legal moves differ")
	}
	want := make([]float32, g.Tensor.Size())
	s.Transform(want, tensor(g, a))
	if !slices.Equal(want, tensor(g, image)) {
		return errors.New("the tensors differ")
	}
	return nil
}

// checkEqualTensors checks that positions with equal tensors have, in the mover's frame, equal legal moves, also along
// random continuations, and end in equal classes.
func checkEqualTensors(g *env.Game) error {
	rng := rand.New(rand.NewPCG(3, 3))
	seen := map[[sha256.Size]byte]env.State{}
	compared := 0
	return eachPositionAndReordering(g, 250, func(w *walk) error {
		if w.State.Done() {
			return nil
		}
		data, _ := binary.Append(nil, binary.LittleEndian, tensor(g, w.State)) // never fails on floats
		sum := sha256.Sum256(data)
		twin, ok := seen[sum]
		if !ok {
			seen[sum] = g.Copy(w.State)
			return nil
		}
		// Compare every pair with equal tensors and different keys, but only a hundred with equal keys.
		compared++
		if compared > 100 && twin.Key() == w.State.Key() {
			return nil
		}
		for range 3 {
			if err := sameFuture(g, g.Copy(twin), g.Copy(w.State), rng); err != nil {
				return w.errorf("equal tensors: %v\n%s", err, g.Board(twin))
			}
		}
		return nil
	})
}

// sameFuture returns an error if two positions lead to different games when the same random moves, in the mover's
// frame, are played from both to the end.
func sameFuture(g *env.Game, a, b env.State, rng *rand.Rand) error {
	playerA, playerB := a.Player(), b.Player()
	for !a.Done() && !b.Done() {
		if (a.Player() == playerA) != (b.Player() == playerB) {
			return errors.New("later the player to move differs")
		}
		legal := inFrame(g, a)
		if !slices.Equal(legal, inFrame(g, b)) {
			return errors.New("the legal moves differ, now or later")
		}
		move := legal[rng.IntN(len(legal))]
		a.Apply(g.Frame(a.Player())[move]) // a frame is its own inverse
		b.Apply(g.Frame(b.Player())[move])
	}
	if a.Done() != b.Done() {
		return errors.New("only one of the games ends")
	}
	if g.ClassFor(playerA, a.Outcome()) != g.ClassFor(playerB, b.Outcome()) {
		return errors.New("later the classes differ")
	}
	return nil
}

// eachPositionAndReordering visits the positions of random games, and positions reached by their first moves in another
// order. So it visits many transpositions, and positions that differ little.
func eachPositionAndReordering(g *env.Game, n int, visit func(w *walk) error) error {
	rng := rand.New(rand.NewPCG(4, 4))
	return eachPosition(g, n, func(w *walk) error {
		if n := len(w.Moves); n > 1 && n <= 10 {
			if err := visitReordered(g, w.Moves, rng, visit); err != nil {
				return err
			}
		}
		return visit(w)
	})
}

// visitReordered plays the moves in random order for as long as one of the rest is legal, and visits the position
// reached.
func visitReordered(g *env.Game, moves []env.Action, rng *rand.Rand, visit func(w *walk) error) error {
	w := newWalk(g)
	rest := slices.Clone(moves)
	for i := 0; i >= 0; {
		rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		i = slices.IndexFunc(rest, func(a env.Action) bool { return w.Play(a) == nil })
		if i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return visit(w)
}

// checkAllocations checks that a state's methods allocate nothing once its buffers have grown.
func checkAllocations(g *env.Game) error {
	s, c := g.NewState(), g.NewState()
	start := g.NewState()
	x := make([]float32, g.Tensor.Size())
	var legal []env.Action
	var endings []env.TerminalAction
	var hash uint64
	play := func() {
		rng := uint64(1)
		for c.CopyFrom(start); !c.Done(); {
			s.CopyFrom(c)
			legal = s.Legal(legal[:0])
			endings = s.TerminalActions(endings[:0])
			s.Encode(x)
			k, symmetry := s.CanonicalKey()
			hash ^= k.Hash() + uint64(symmetry)
			k = s.Key()
			hash ^= k.Hash()
			rng = rng*6364136223846793005 + 1442695040888963407 // PCG's multiplier and increment
			c.Apply(c.RandomAction(rng))
		}
		hash ^= uint64(c.Outcome() + c.Goals()[0])
	}
	play()
	if n := testing.AllocsPerRun(3, play); n != 0 {
		return fmt.Errorf("%v allocations in a warm game", n)
	}
	return nil
}
