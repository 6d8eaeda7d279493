package solver

import (
	"testing"
	"unsafe"

	"ludus/env"
	"ludus/env/games"
)

// TestTable checks that bounds narrow and moves stay, and that a full bucket replaces old entries first, then those of
// least work.
func TestTable(t *testing.T) {
	if size := unsafe.Sizeof([4]entry{}); size != bucketBytes {
		t.Errorf("a bucket takes %d bytes", size)
	}
	table := table{buckets: make([][4]entry, 1), age: 1}
	at := func(i int) hash { return hash{place: uint64(i), check: uint64(i)} }
	if table.find(at(0)) != nil {
		t.Error("an empty entry is found")
	}
	table.store(at(0), 0, 5, 17, 100)
	table.store(at(0), 3, 6, noMove, 10)
	if e := table.find(at(0)); e == nil || e.low != 3 || e.high != 5 || e.move != 17 || e.work != 7 {
		t.Errorf("%+v", e)
	}
	table.store(at(1), 0, 1, noMove, 1000)
	table.store(at(2), 0, 1, noMove, 1)
	table.store(at(3), 0, 1, noMove, 50)
	table.store(at(4), 0, 1, noMove, 1) // takes the place of 2
	for i, kept := range []bool{true, true, false, true, true} {
		if (table.find(at(i)) != nil) != kept {
			t.Errorf("position %d: kept %v", i, !kept)
		}
	}
	table.age = 2
	table.store(at(1), 0, 1, noMove, 1) // is used again
	table.store(at(5), 0, 1, noMove, 1) // of the old ones 4 took least
	table.store(at(6), 0, 1, noMove, 1) // then 3
	table.store(at(7), 0, 1, noMove, 1) // then 0
	table.store(at(8), 0, 1, noMove, 1) // then one of the new ones, but 1 took much
	if table.find(at(1)) == nil || table.find(at(0)) != nil || table.find(at(3)) != nil || table.find(at(4)) != nil {
		t.Error("the wrong positions are forgotten")
	}
}

// TestHashesDiffer checks that keys that differ in one or two bits have different hashes.
func TestHashesDiffer(t *testing.T) {
	places, checks, n := map[uint64]bool{}, map[uint64]bool{}, 0
	add := func(k env.Key) {
		h := hashOf(&k)
		places[h.place], checks[h.check] = true, true
		n++
	}
	add(env.Key{})
	for i := range 64 * len(env.Key{}) {
		var k env.Key
		k[i/64] = 1 << (i % 64)
		add(k)
		for j := range i {
			both := k
			both[j/64] |= 1 << (j % 64)
			add(both)
		}
	}
	if len(places) != n || len(checks) != n {
		t.Errorf("%d keys have %d places and %d checks", n, len(places), len(checks))
	}
}

// TestTableMoves checks that the table's move is in the orientation of the position looked up, whichever image was
// solved.
func TestTableMoves(t *testing.T) {
	g := games.Must("quad-5x5")
	images := make([]env.State, len(g.Symmetries))
	for i, symmetry := range g.Symmetries {
		images[i] = g.NewState()
		for _, text := range []string{"mark r2 c2", "mark r1 c2", "mark r1 c3", "mark r4 c1"} { // no image of itself
			a, err := g.ParseAction(text)
			if err != nil {
				t.Fatal(err)
			}
			images[i].Apply(symmetry.Actions[a])
		}
	}
	s := New(g, 1<<20)
	if class, ok := s.Solve(images[0], Limits{}); !ok || class != 0 {
		t.Fatalf("class %d, %v; want a win, which has a move", class, ok)
	}
	best := s.tableMove(images[0])
	if best < 0 || s.solveAfter(best, 0) != 0 {
		t.Errorf("move %d does not win", best)
	}
	for i, symmetry := range g.Symmetries {
		if got := s.tableMove(images[i]); got != symmetry.Actions[best] {
			t.Errorf("image %d: move %d; want %d", i, got, symmetry.Actions[best])
		}
	}
}
