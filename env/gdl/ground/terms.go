package ground

import (
	"fmt"
	"slices"
	"strings"

	"ludus/env/gdl/kif"
)

// Term is the number of a ground term in a [Terms]; equal terms have equal numbers, and 0 is no term.
type Term int32

// Terms is a set of ground terms. Functors, names with a number of arguments, have numbers of their own, from 1.
type Terms struct {
	symbols  []symbol
	bySymbol map[symbol]int32
	functor  []int32  // for each term: index in symbols
	args     [][]Term // for each term: its arguments
	depth    []uint8  // for each term: its nesting; 0 for a constant
	size     []int32  // for each term: number of names in its text; at most maxSize + 1
	table    []Term   // hash table with open addressing; 0 is empty
}

// maxSize is the largest number of names in a term that Ground accepts.
const maxSize = 1 << 12

// symbol is a name with a number of arguments.
type symbol struct {
	name  string
	arity int
}

func (s symbol) String() string { return fmt.Sprintf("%s/%d", s.name, s.arity) }

func symbolOf(t kif.Term) symbol { return symbol{t.Name, len(t.Args)} }

// NewTerms returns an empty set.
func NewTerms() *Terms {
	return &Terms{
		symbols: make([]symbol, 1), bySymbol: map[symbol]int32{}, table: make([]Term, 1<<10),
		functor: make([]int32, 1), args: make([][]Term, 1), depth: make([]uint8, 1), size: make([]int32, 1),
	}
}

// Len returns the number of terms.
func (t *Terms) Len() int { return len(t.functor) - 1 }

// Name returns the name of a term without its arguments.
func (t *Terms) Name(x Term) string { return t.symbols[t.functor[x]].name }

// Args returns the arguments of a term. The caller must not change them.
func (t *Terms) Args(x Term) []Term { return t.args[x] }

// FunctorOf returns the functor of a term.
func (t *Terms) FunctorOf(x Term) int32 { return t.functor[x] }

// FunctorName returns the name of a functor.
func (t *Terms) FunctorName(functor int32) string { return t.symbols[functor].name }

// Text returns the text of a term.
func (t *Terms) Text(x Term) string {
	if len(t.args[x]) == 0 {
		return t.Name(x)
	}
	parts := []string{t.Name(x)}
	for _, a := range t.args[x] {
		parts = append(parts, t.Text(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// Functor returns the functor of a name with a number of arguments, and adds it if it is new.
func (t *Terms) Functor(name string, arity int) int32 {
	s := symbol{name, arity}
	id, ok := t.bySymbol[s]
	if !ok {
		id = int32(len(t.symbols))
		t.symbols = append(t.symbols, s)
		t.bySymbol[s] = id
	}
	return id
}

// find returns the hash table's slot of a term: its own, or an empty one if the term is new.
func (t *Terms) find(functor int32, args []Term) int {
	h := uint64(functor)*0x9e3779b97f4a7c15 + 1
	for _, a := range args {
		h = (h ^ uint64(a)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	mask := uint64(len(t.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if x := t.table[i]; x == 0 || t.functor[x] == functor && slices.Equal(t.args[x], args) {
			return int(i)
		}
	}
}

// Find returns a term; 0 if it does not exist.
func (t *Terms) Find(functor int32, args []Term) Term { return t.table[t.find(functor, args)] }

// Add returns a term, which is added if it is new; args is then copied.
func (t *Terms) Add(functor int32, args []Term) Term {
	i := t.find(functor, args)
	if x := t.table[i]; x != 0 {
		return x
	}
	x := Term(len(t.functor))
	t.functor = append(t.functor, functor)
	t.args = append(t.args, append([]Term(nil), args...)) // slices.Clone would move buffers of callers to the heap
	depth, size := uint8(0), int32(1)
	for _, a := range args {
		depth, size = max(depth, 1+min(t.depth[a], 254)), min(size+t.size[a], maxSize+1)
	}
	t.depth, t.size = append(t.depth, depth), append(t.size, size)
	t.table[i] = x
	if 2*len(t.functor) > len(t.table) {
		t.grow()
	}
	return x
}

// grow doubles the hash table.
func (t *Terms) grow() {
	t.table = make([]Term, 2*len(t.table))
	for x := 1; x < len(t.functor); x++ {
		t.table[t.find(t.functor[x], t.args[x])] = Term(x)
	}
}
