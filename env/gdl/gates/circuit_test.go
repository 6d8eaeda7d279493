package gates_test

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/interpreter"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

// build returns the circuit of a sheet.
func build(ctx context.Context, text string) (*gates.Circuit, error) {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	p, err := ground.Ground(ctx, rules, ground.DefaultLimits)
	if err != nil {
		return nil, err
	}
	return gates.New(ctx, p)
}

// compare plays random games, up to a number of plies, by the slow interpreter and by the circuit, 64 at a time.
func compare(ctx context.Context, text string, n *gates.Circuit, games int, plies int) error {
	o, err := interpreter.New(ctx, text, interpreter.MaxTerms)
	if err != nil {
		return err
	}
	for seed := uint64(0); games > 0; seed++ {
		if err := compareLanes(o, n, min(games, 64), plies, rand.New(rand.NewPCG(1, seed))); err != nil {
			return err
		}
		games -= 64
	}
	return nil
}

// compareLanes is compare for up to 64 games.
func compareLanes(o *interpreter.Game, n *gates.Circuit, games, plies int, rng *rand.Rand) error {
	start, err := o.Start()
	if err != nil {
		return err
	}
	p := n.Program
	var moves []map[string]int32 // by role: the number of a move with this text
	for role := range p.Roles {
		texts := map[string]int32{}
		for i, m := range p.Moves[role] {
			texts[p.Terms.Text(m)] = int32(i)
		}
		moves = append(moves, texts)
	}
	positions := make([]*interpreter.Position, games)
	for k := range positions {
		positions[k] = start
	}
	l := gates.NewLanes(n)
	for range plies {
		n.Position(l.Values)
		n.FinalGoals(l.Values)
		playing := uint64(0)
		var chosen [64][]int32
		for k, pos := range positions {
			if pos == nil {
				continue
			}
			if err := same(n, l.Values, k, pos, o.Roles); err != nil {
				return err
			}
			if pos.Terminal() {
				positions[k] = nil
				continue
			}
			move := pos.Random(rng)
			if move == nil {
				return fmt.Errorf("a role has no legal move in %v", pos.True())
			}
			for role, m := range move {
				chosen[k] = append(chosen[k], moves[role][m])
			}
			if positions[k], err = pos.Next(move); err != nil {
				return err
			}
			playing |= 1 << k
		}
		if playing == 0 {
			break
		}
		l.Apply(playing, func(game int) []int32 { return chosen[game] })
	}
	return nil
}

// same compares one position.
func same(n *gates.Circuit, v gates.Values, k int, pos *interpreter.Position, roles []string) error {
	p := n.Program
	on := func(r gates.Ref) bool { return v.Get(r)>>k&1 != 0 }
	var fluents []string
	for i, f := range p.Fluents {
		if on(n.Fluent(i)) {
			fluents = append(fluents, p.Terms.Text(f))
		}
	}
	slices.Sort(fluents)
	if !slices.Equal(fluents, pos.True()) {
		return fmt.Errorf("true are %v, want %v", fluents, pos.True())
	}
	if on(n.Terminal) != pos.Terminal() {
		return fmt.Errorf("terminal is %t, want %t, in %v", on(n.Terminal), pos.Terminal(), pos.True())
	}
	for role := range p.Roles {
		var legal []string
		for i, r := range n.Legal[role] {
			if on(r) {
				legal = append(legal, p.Terms.Text(p.Moves[role][i]))
			}
		}
		slices.Sort(legal)
		if want := pos.Legal(roles[role]); !slices.Equal(legal, want) {
			return fmt.Errorf("legal moves of %s are %v, want %v, in %v", roles[role], legal, want, pos.True())
		}
		var goals []int
		for _, g := range n.Goals[role] {
			if on(g.Holds) {
				goals = append(goals, g.Value)
			}
		}
		if want := pos.Goals(roles[role]); !slices.Equal(goals, want) {
			return fmt.Errorf("goals of %s are %v, want %v, in %v", roles[role], goals, want, pos.True())
		}
	}
	return nil
}

// maxPlies is the largest number of plies of a game that is compared.
const maxPlies = 1000

// randomGames returns how many random games of a sheet to compare with the slow interpreter: LUDUS_SHEETS_GAMES, or a
// default.
func randomGames(t *testing.T, byDefault int) int {
	s := os.Getenv("LUDUS_SHEETS_GAMES")
	if s == "" {
		return byDefault
	}
	games, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// TestSheets compares our own sheets with the slow interpreter.
func TestSheets(t *testing.T) {
	for _, name := range sheets.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := build(t.Context(), sheets.Text(name))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d gates", n.Size())
			games := 8
			if testing.Short() {
				games = 2
			}
			if err := compare(t.Context(), sheets.Text(name), n, randomGames(t, games), maxPlies); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMoveAsFluent plays a game in which a fluent is true exactly after a move, so its next value is an input.
func TestMoveAsFluent(t *testing.T) {
	const text = `(role a) (role b) (init (last a x)) (init (last b y)) (legal a x) (legal b x) (goal a 50) (goal b 50)
		(<= (legal ?r y) (true (last ?r x))) (<= (next (last ?r ?m)) (does ?r ?m)) (<= terminal (true (last a y)) (true (last b y)))`
	n, err := build(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	if err := compare(t.Context(), text, n, 64, maxPlies); err != nil {
		t.Error(err)
	}
}

// TestForeignSheets compares foreign sheets with the slow interpreter.
func TestForeignSheets(t *testing.T) {
	games := randomGames(t, 2)
	sheets.Foreign(t, func(t *testing.T, _, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		start := time.Now()
		n, err := build(ctx, text)
		if err != nil {
			t.Skipf("refused: %v", err)
		}
		took := time.Since(start)
		t.Logf("%d gates in %v", n.Size(), took.Round(time.Millisecond))
		if err := compare(t.Context(), text, n, games, maxPlies); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkLanes plays 64 random games at once.
func BenchmarkLanes(b *testing.B) {
	for _, name := range sheets.Names() {
		b.Run(name, func(b *testing.B) {
			n, err := build(b.Context(), sheets.Text(name))
			if err != nil {
				b.Fatal(err)
			}
			v := n.NewValues()
			for b.Loop() {
				n.Position(v)
				n.Moves(v)
			}
			b.ReportMetric(float64(bits.OnesCount64(^uint64(0)))*float64(b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
