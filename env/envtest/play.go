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
		if g.Board(w.State) == "" {
			return w.errorf("no board is drawn")
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

// checkLegal checks that the legal list is appended, ascending, not empty, and made of actions that have a text.
func checkLegal(w *walk) error {
	const mark = -7
	list := w.State.Legal([]env.Action{mark})
	if list[0] != mark || len(list) < 2 {
		return w.errorf("Legal must append at least one action to dst; got %v", list)
	}
	last := env.Action(-1)
	for _, a := range list[1:] {
		if a <= last || int(a) >= w.game.NumActions() {
			return w.errorf("legal actions are not ascending within [0, %d): %v", w.game.NumActions(), list[1:])
		}
		if last = a; w.game.ActionTexts[a] == "" {
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
	if dst[n] == dst[n] {
		return w.errorf("Encode writes beyond its tensor")
	}
	for i, v := range dst[:n] {
		if !(v >= -1 && v <= 1) {
			return w.errorf("Encode leaves or writes %v at entry %d; want a value within -1 to 1", v, i)
		}
	}
	return nil
}

// checkEnd checks that a finished game has no moves and that its goals agree with its class.
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
	case !w.game.GoalHead && goals != class.Goals:
		return w.errorf("goals %v in class %s", goals, class.Name)
	case (goals[0] > goals[1]) != (class.Utility > 0) || (goals[0] < goals[1]) != (class.Utility < 0):
		return w.errorf("goals %v in class %s of utility %v", goals, class.Name, class.Utility)
	}
	return nil
}

// checkRandomAction compares RandomAction with the legal list, at both ends of each action's range of random numbers.
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
			before := (i + len(legal) - 1) % len(legal)
			if a := w.State.RandomAction(low - 1); a != legal[before] {
				return w.errorf("RandomAction(%#x) is %d; want index %d of %v", low-1, a, before, legal)
			}
		}
		return nil
	})
}

// checkTerminalActions compares TerminalActions with the results of playing every legal action on a copy.
func checkTerminalActions(g *env.Game) error {
	mark := env.TerminalAction{Action: -7}
	next := g.NewState()
	return collect(g, 100, func(w *walk) error {
		want := []env.TerminalAction{mark}
		for _, a := range w.State.Legal(nil) {
			next.CopyFrom(w.State)
			if next.Apply(a); next.Done() {
				want = append(want, env.TerminalAction{Action: a, Outcome: next.Outcome()})
			}
		}
		if list := w.State.TerminalActions([]env.TerminalAction{mark}); !slices.Equal(list, want) {
			return w.errorf("TerminalActions appends %v to %v; want %v", list[1:], mark, want[1:])
		}
		return nil
	})
}

// checkCopies checks that a copy is the same position, and that moves on either do not change the other.
func checkCopies(g *env.Game) error {
	rng := rand.New(rand.NewPCG(2, 2))
	used := newWalk(g)
	kept, board := g.NewState(), g.Board(g.NewState())
	return eachPosition(g, 10, func(w *walk) error {
		if g.Board(kept) != board {
			return w.errorf("the last move changes a copy made before it")
		}
		if w.State.Done() {
			return nil
		}
		kept.CopyFrom(used.State) // leaves traces of another game, if any
		kept.CopyFrom(w.State)
		if err := samePosition(g, kept, w.State); err != nil {
			return w.errorf("copy: %v", err)
		}
		c := clone(g, w.State)
		legal := c.Legal(nil)
		c.Apply(legal[rng.IntN(len(legal))])
		if err := samePosition(g, kept, w.State); err != nil {
			return w.errorf("a move on a copy changes the original: %v", err)
		}
		board = g.Board(kept)
		if used.step(rng); used.State.Done() {
			used = newWalk(g)
		}
		return nil
	})
}

// samePosition compares everything that two unfinished positions return.
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

// checkKeys checks that equal keys are equal positions, that every move changes the key, and that hashes spread.
func checkKeys(g *env.Game) error {
	seen := map[env.Key]env.State{}
	hashes := map[uint64]bool{}
	low, high := map[uint64]bool{}, map[uint64]bool{}
	err := collect(g, 60, func(w *walk) error {
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
		seen[k] = clone(g, w.State)
		h := k.Hash()
		hashes[h] = true
		low[h&0xffff] = true
		high[h>>48] = true
		next := clone(g, w.State)
		if next.Apply(next.Legal(nil)[0]); next.Key() == k {
			return w.errorf("the move %s does not change the key", g.ActionTexts[w.State.Legal(nil)[0]])
		}
		return nil
	})
	if err != nil {
		return err
	}
	// n random values in m places use m (1 - exp(-n/m)) places on average.
	n, m := float64(len(seen)), float64(1<<16)
	want := 0.97*m*(1-math.Exp(-n/m)) - 5
	if len(hashes) != len(seen) || float64(len(low)) < want || float64(len(high)) < want {
		return fmt.Errorf("%d keys have %d hashes, which use %d low and %d high halves; want %.0f at least",
			len(seen), len(hashes), len(low), len(high), want)
	}
	return nil
}

// checkSymmetricPlay plays each random game again under each symmetry.
func checkSymmetricPlay(g *env.Game) error {
	for i, s := range g.Symmetries {
		err := eachPosition(g, 4, func(w *walk) error {
			if err := sameTurned(g, s, w.State, turned(g, w.Moves, i)); err != nil {
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

// checkCanonicalKey compares CanonicalKey with the keys of all images, which it reaches by playing the game under each
// symmetry.
func checkCanonicalKey(g *env.Game) error {
	images := make([]env.State, len(g.Symmetries))
	return collect(g, 20, func(w *walk) error {
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

// turned plays the images of the moves under one symmetry after the other.
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

// sameTurned compares a position with its image under symmetry s.
func sameTurned(g *env.Game, s env.Symmetry, a, turned env.State) error {
	if a.Done() != turned.Done() || a.Goals() != turned.Goals() {
		return errors.New("done or the goals differ")
	}
	after := turned.Pieces(nil)
	for cell, piece := range a.Pieces(nil) {
		if after[s.Cells[cell]] != piece {
			return fmt.Errorf("the pieces of cell %d differ", cell)
		}
	}
	if a.Done() {
		if a.Outcome() != turned.Outcome() || len(a.WinningCells(nil)) != len(turned.WinningCells(nil)) {
			return errors.New("the outcomes or the numbers of winning cells differ")
		}
		return nil
	}
	if a.Player() != turned.Player() {
		return errors.New("the players differ")
	}
	if !slices.Equal(mapped(a.Legal(nil), s.Actions), turned.Legal(nil)) {
		return errors.New("the legal moves differ")
	}
	image := make([]float32, g.Tensor.Size())
	s.Transform(image, tensor(g, a))
	if !slices.Equal(image, tensor(g, turned)) {
		return errors.New("the tensors differ")
	}
	return nil
}

// checkEqualTensors checks that positions with equal tensors have, in the mover's frame, equal legal moves and equal
// classes along random continuations.
func checkEqualTensors(g *env.Game) error {
	rng := rand.New(rand.NewPCG(3, 3))
	seen := map[[sha256.Size]byte]env.State{}
	compared := 0
	return collect(g, 250, func(w *walk) error {
		if w.State.Done() {
			return nil
		}
		var data []byte
		for _, v := range tensor(g, w.State) {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		sum := sha256.Sum256(data)
		twin, ok := seen[sum]
		if !ok {
			seen[sum] = clone(g, w.State)
			return nil
		}
		// Compare a few hundred pairs with equal keys, and all pairs with equal tensors alone.
		if compared++; compared > 300 && twin.Key() == w.State.Key() {
			return nil
		}
		for range 3 {
			if err := sameFuture(g, clone(g, twin), clone(g, w.State), rng); err != nil {
				return w.errorf("equal tensors: %v\n%s", err, g.Board(twin))
			}
		}
		return nil
	})
}

// sameFuture plays the same random moves, in the mover's frame, from both positions to the end.
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
		a.Apply(g.Frame(a.Player())[move])
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

// collect visits the positions of random games, and positions reached by their first moves in another order: many
// transpositions, and positions that differ little.
func collect(g *env.Game, n int, visit func(w *walk) error) error {
	rng := rand.New(rand.NewPCG(4, 4))
	return eachPosition(g, n, func(w *walk) error {
		if n := len(w.Moves); n > 1 && n <= 10 {
			if err := reordered(g, w.Moves, rng, visit); err != nil {
				return err
			}
		}
		return visit(w)
	})
}

// reordered plays the moves in random order, those that are legal, and visits the position reached.
func reordered(g *env.Game, moves []env.Action, rng *rand.Rand, visit func(w *walk) error) error {
	w := newWalk(g)
	left := slices.Clone(moves)
	for i := 0; i >= 0; {
		rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		if i = slices.IndexFunc(left, func(a env.Action) bool { return w.Play(a) == nil }); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return visit(w)
}

// checkAllocations checks that a warm game allocates nothing.
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
