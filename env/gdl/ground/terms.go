package ground

import "strings"

// Term is the number of a ground term in a [Terms]; equal terms have equal numbers.
type Term int32

// Terms is a set of ground terms.
type Terms struct {
	symbols  []symbol
	bySymbol map[symbol]int32
	functor  []int32  // for each term: index in symbols
	args     [][]Term // for each term: its arguments
	depth    []uint8  // for each term: its nesting; 0 for a constant
	size     []int32  // for each term: number of names in its text; at most maxSize + 1
	table    []Term   // hash table with open addressing; -1 is empty
}

// maxSize is the largest number of names in a term that Ground accepts.
const maxSize = 1 << 12

// symbol is a name with a number of arguments.
type symbol struct {
	name  string
	arity int
}

func newTerms() *Terms {
	t := &Terms{bySymbol: map[symbol]int32{}, table: make([]Term, 1<<10)}
	for i := range t.table {
		t.table[i] = -1
	}
	return t
}

// Name returns the name of a term without its arguments.
func (t *Terms) Name(x Term) string { return t.symbols[t.functor[x]].name }

// Args returns the arguments of a term. The caller must not change them.
func (t *Terms) Args(x Term) []Term { return t.args[x] }

// Text returns the text of a term.
func (t *Terms) Text(x Term) string {
	var b strings.Builder
	t.write(&b, x)
	return b.String()
}

func (t *Terms) write(b *strings.Builder, x Term) {
	if len(t.args[x]) == 0 {
		b.WriteString(t.Name(x))
		return
	}
	b.WriteString("(" + t.Name(x))
	for _, a := range t.args[x] {
		b.WriteByte(' ')
		t.write(b, a)
	}
	b.WriteByte(')')
}

// symbol returns the index of a name with a number of arguments in t.symbols, and adds it if it is new.
func (t *Terms) symbol(name string, arity int) int32 {
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
slots:
	for i := h & mask; ; i = (i + 1) & mask {
		x := t.table[i]
		if x < 0 {
			return int(i)
		}
		if t.functor[x] != functor {
			continue
		}
		for k, a := range t.args[x] {
			if a != args[k] {
				continue slots
			}
		}
		return int(i)
	}
}

// add returns the number of a term, which is added if it is new; args is then copied.
func (t *Terms) add(functor int32, args []Term) Term {
	i := t.find(functor, args)
	if x := t.table[i]; x >= 0 {
		return x
	}
	x := Term(len(t.functor))
	t.functor = append(t.functor, functor)
	t.args = append(t.args, append([]Term(nil), args...))
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
	for i := range t.table {
		t.table[i] = -1
	}
	for x := range t.functor {
		t.table[t.find(t.functor[x], t.args[x])] = Term(x)
	}
}
