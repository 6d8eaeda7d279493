package canonical

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// search looks for the numbering of the names that gives the least text of a sheet, by individualisation and
// refinement: colour refinement separates vertices; where several keep one colour, each in turn gets a colour of its
// own.
type search struct {
	names    []string
	clauses  []clause
	vertices []int    // the names, then the variables of each clause
	sums     []uint64 // scratch of refine, one value per vertex
	work     int      // terms visited so far

	best          string
	bestOrder     []int   // the names in the order of their numbers in best
	bestPath      []int   // names individualised on the path to best
	automorphisms [][]int // found so far, each as the image of every name
}

// mix adds x to a hash; the order matters.
func mix(h, x uint64) uint64 {
	h = (h ^ x ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	h ^= h >> 29
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>32
}

// Constants for hashes: kinds of places in a rule, and a mark for individualised vertices.
const (
	placeHead = 1000 + iota
	placeBody
	placeAny
	placeName
	setApart
)

// hashTerm computes the hash of a term from the colours of its vertices, and stores it in t.hash.
func (s *search) hashTerm(t *term, colours []uint64) uint64 {
	s.work++
	h := t.fixed
	if t.vertex >= 0 {
		h = colours[t.vertex]
	}
	h = mix(h, uint64(len(t.args)))
	sum := uint64(0)
	for i := range t.args {
		a := s.hashTerm(&t.args[i], colours)
		if t.unordered {
			sum += mix(placeAny, a)
		} else {
			h = mix(h, a)
		}
	}
	t.hash = mix(h, sum)
	return t.hash
}

// addPlaces adds, for each vertex in a term, a hash of its place to s.sums. context is the hash of the term's own
// place.
func (s *search) addPlaces(t *term, context uint64) {
	context = mix(context, t.hash)
	if t.vertex >= 0 {
		s.sums[t.vertex] += mix(context, placeName)
	}
	for i := range t.args {
		place := uint64(i)
		if t.unordered {
			place = placeAny
		}
		s.addPlaces(&t.args[i], mix(context, place))
	}
}

// refine is colour refinement: it mixes the places of each vertex in the clauses into its colour, until the number of
// colours stops growing.
func (s *search) refine(clauses []clause, vertices []int, colours []uint64) {
	for count := 0; s.work <= budget; {
		for _, v := range vertices {
			s.sums[v] = 0
		}
		for i := range clauses {
			c := &clauses[i]
			h := s.hashTerm(&c.head, colours)
			sum := uint64(0)
			for k := range c.body {
				sum += mix(placeBody, s.hashTerm(&c.body[k], colours))
			}
			h = mix(h, sum)
			s.addPlaces(&c.head, mix(h, placeHead))
			for k := range c.body {
				s.addPlaces(&c.body[k], mix(h, placeBody))
			}
		}
		different := make([]uint64, 0, len(vertices))
		for _, v := range vertices {
			colours[v] = mix(colours[v], s.sums[v])
			different = append(different, colours[v])
		}
		slices.Sort(different)
		before := count
		count = len(slices.Compact(different))
		if count == before || count == 0 {
			return
		}
	}
}

// cell returns the smallest set of vertices that share a colour, the one of least colour among equals; nil if all
// colours differ.
func cell(vertices []int, colours []uint64) []int {
	sets := map[uint64][]int{}
	for _, v := range vertices {
		sets[colours[v]] = append(sets[colours[v]], v)
	}
	var best []int
	for c, set := range sets {
		if len(set) > 1 && (best == nil || len(set) < len(best) || len(set) == len(best) && c < colours[best[0]]) {
			best = set
		}
	}
	return best
}

// byColour sorts a copy of vertices by their colours.
func byColour(vertices []int, colours []uint64) []int {
	return slices.SortedFunc(slices.Values(vertices), func(a, b int) int { return cmp.Compare(colours[a], colours[b]) })
}

// visit searches a node of the search tree; path lists the names individualised so far. It returns the depth to
// backtrack to: less than len(path) if an automorphism shows that the subtree is a copy of one already searched.
func (s *search) visit(colours []uint64, path []int) int {
	s.refine(s.clauses, s.vertices, colours)
	if s.work > budget {
		return 0
	}
	names := s.vertices[:len(s.names)]
	set := cell(names, colours)
	if set == nil {
		return s.leaf(colours, path)
	}
	var tried []int
	for _, v := range set {
		if s.equivalent(path, tried, v) {
			continue
		}
		next := slices.Clone(colours)
		next[v] = mix(next[v], setApart)
		back := s.visit(next, append(path[:len(path):len(path)], v)) // a new slice: leaf keeps the path
		tried = append(tried, v)
		if back < len(path) {
			return back
		}
	}
	return len(path)
}

// equivalent reports whether automorphisms that fix all names of the path map v to a name already tried.
func (s *search) equivalent(path, tried []int, v int) bool {
	if len(tried) == 0 || len(s.automorphisms) == 0 {
		return false
	}
	reached := map[int]bool{v: true}
	for queue := []int{v}; len(queue) > 0; queue = queue[1:] {
		if slices.Contains(tried, queue[0]) {
			return true
		}
	automorphisms:
		for _, a := range s.automorphisms {
			for _, p := range path {
				if a[p] != p {
					continue automorphisms
				}
			}
			if to := a[queue[0]]; !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	return false
}

// leaf handles a complete numbering of the names: it keeps its text if it is the least so far. An equal text yields an
// automorphism. It returns the depth to backtrack to, as visit does.
func (s *search) leaf(colours []uint64, path []int) int {
	order := byColour(s.vertices[:len(s.names)], colours)
	text := s.text(order, colours)
	switch {
	case s.work > budget:
		return 0
	case s.bestOrder == nil || text < s.best:
		s.best, s.bestOrder, s.bestPath = text, order, path
		return len(path)
	case text > s.best:
		return len(path)
	}
	automorphism := make([]int, len(order)) // from the names of this leaf to those of best
	for i, v := range order {
		automorphism[v] = s.bestOrder[i]
	}
	s.automorphisms = append(s.automorphisms, automorphism)
	same := 0
	for same < len(path) && same < len(s.bestPath) && path[same] == s.bestPath[same] {
		same++
	}
	return same
}

// text returns the sheet with numbers instead of names, its rules sorted.
func (s *search) text(order []int, colours []uint64) string {
	labels := make([]string, len(s.vertices))
	for i, v := range order {
		labels[v] = "#" + strconv.Itoa(i)
	}
	var lines []string
	for i := range s.clauses {
		lines = append(lines, s.clauseText(i, labels, colours))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// clauseText returns the least text of a clause over all numberings of its variables that the colours allow.
func (s *search) clauseText(i int, labels []string, colours []uint64) string {
	c := &s.clauses[i]
	set := cell(c.variables, colours)
	if set == nil {
		for k, v := range byColour(c.variables, colours) {
			labels[v] = "?" + strconv.Itoa(k)
		}
		parts := make([]string, len(c.body))
		for k := range c.body {
			parts[k] = s.termText(&c.body[k], labels)
		}
		slices.Sort(parts)
		return s.termText(&c.head, labels) + " <= " + strings.Join(parts, " ")
	}
	least := ""
	for _, v := range set {
		next := slices.Clone(colours)
		next[v] = mix(next[v], setApart)
		s.refine(s.clauses[i:i+1], c.variables, next)
		if s.work > budget {
			return ""
		}
		if text := s.clauseText(i, labels, next); least == "" || text < least {
			least = text
		}
	}
	return least
}

// termText returns the text of a term with the labels of its vertices; unordered arguments are sorted.
func (s *search) termText(t *term, labels []string) string {
	s.work++
	name := t.word
	if t.vertex >= 0 {
		name = labels[t.vertex]
	}
	if len(t.args) == 0 {
		return name
	}
	parts := make([]string, len(t.args))
	for i := range t.args {
		parts[i] = s.termText(&t.args[i], labels)
	}
	if t.unordered {
		slices.Sort(parts)
	}
	return "(" + name + " " + strings.Join(parts, " ") + ")"
}
