package ground

// Components returns the strongly connected components that can be reached from the roots, each after those that it depends
// on. It is Tarjan's algorithm (1972) without recursion, because dependencies of atoms may be deep. The result depends on the
// order of roots and edges only.
func Components[T comparable](roots []T, edges func(T) []T) (components [][]T) {
	type frame struct {
		node  T
		edges []T // not visited yet
	}
	number, low, open := map[T]int{}, map[T]int{}, map[T]bool{}
	var stack []T
	var frames []frame
	enter := func(x T) {
		number[x] = len(number) + 1
		low[x] = number[x]
		stack = append(stack, x)
		open[x] = true
		frames = append(frames, frame{x, edges(x)})
	}
	for _, root := range roots {
		if number[root] == 0 {
			enter(root)
		}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if len(f.edges) > 0 {
				to := f.edges[0]
				switch {
				case number[to] == 0:
					enter(to) // its edge is visited again when it is done
				default:
					f.edges = f.edges[1:]
					if open[to] {
						low[f.node] = min(low[f.node], low[to])
					}
				}
				continue
			}
			done := f.node
			frames = frames[:len(frames)-1]
			if low[done] < number[done] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != done {
				first--
			}
			for _, x := range stack[first:] {
				open[x] = false
			}
			components = append(components, append([]T(nil), stack[first:]...))
			stack = stack[:first]
		}
	}
	return components
}
