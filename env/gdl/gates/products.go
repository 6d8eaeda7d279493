package gates

import "slices"

// Limits of Products.
const (
	maxProducts    = 4096    // of one gate
	maxProductWork = 1 << 20 // inputs of gates and of products looked at
)

// multiplier computes disjunctive normal forms of gates.
type multiplier struct {
	table  *table
	counts []bool // the fluents to keep in the normal forms; others are taken as true
	known  map[Ref]products
	work   int
}

// products is a disjunctive normal form: a sorted list of conjunctions of fluents, without duplicates.
type products struct {
	list    [][]int32
	tooMany bool // then the list is empty
}

// Products returns the conjunctions of fluents that can make a result true: those of the results' disjunctive normal
// forms, sorted and without duplicates. It keeps only fluents that count and are not negated. It leaves out
// alternatives with too many conjunctions, and returns nil if all together take too much work.
func (c *Circuit) Products(results []Ref, counts []bool) [][]int32 {
	m := &multiplier{table: c.table, counts: counts, known: map[Ref]products{}}
	seen := map[Ref]bool{}
	var all [][]int32
	var alternatives func(r Ref)
	alternatives = func(r Ref) {
		inputs := m.table.of(r.Gate())
		switch {
		case seen[r]:
		case r&1 != 0 && len(inputs) > 0: // a disjunction
			for _, x := range inputs {
				alternatives(x.Not())
			}
		default:
			all = append(all, m.products(r).list...)
		}
		seen[r] = true
	}
	for _, r := range results {
		alternatives(r)
	}
	if m.work > maxProductWork {
		return nil
	}
	return sortedProducts(all)
}

// sortedProducts sorts conjunctions and removes duplicates.
func sortedProducts(list [][]int32) [][]int32 {
	slices.SortFunc(list, slices.Compare)
	return slices.CompactFunc(list, slices.Equal)
}

// products returns the disjunctive normal form of a literal, in which moves, loops and negated fluents count as true.
func (m *multiplier) products(r Ref) products {
	gate := r.Gate()
	inputs := m.table.of(gate)
	switch {
	case m.work > maxProductWork:
		return products{tooMany: true}
	case r == False:
		return products{}
	case len(inputs) == 0 && r&1 == 0 && gate <= len(m.counts) && m.counts[gate-1]:
		return products{list: [][]int32{{int32(gate - 1)}}}
	case len(inputs) == 0: // counts as true: the empty conjunction
		return products{list: [][]int32{nil}}
	}
	if p, ok := m.known[r]; ok {
		return p
	}
	m.work += len(inputs)
	var p products
	if r&1 != 0 {
		p = m.or(inputs)
	} else {
		p = m.and(inputs)
	}
	p.tooMany = p.tooMany || len(p.list) > maxProducts
	if p.tooMany {
		p.list = nil
	}
	m.known[r] = p
	return p
}

// or returns the disjunctive normal form of the disjunction of the negated refs.
func (m *multiplier) or(refs []Ref) products {
	var all [][]int32
	for _, r := range refs {
		p := m.products(r.Not())
		if p.tooMany {
			return p
		}
		all = append(all, p.list...)
	}
	return products{list: sortedProducts(all)}
}

// and returns the disjunctive normal form of the conjunction of refs.
func (m *multiplier) and(refs []Ref) products {
	all := [][]int32{nil}
	for _, r := range refs {
		p := m.products(r)
		if p.tooMany || len(all)*len(p.list) > maxProducts {
			return products{tooMany: true}
		}
		if len(p.list) == 1 && len(p.list[0]) == 0 {
			continue
		}
		var next [][]int32
		for _, a := range all {
			for _, b := range p.list {
				both := slices.Concat(a, b)
				slices.Sort(both)
				both = slices.Compact(both)
				m.work += 1 + len(both)
				next = append(next, both)
			}
		}
		all = sortedProducts(next)
	}
	return products{list: all}
}
