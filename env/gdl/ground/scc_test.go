package ground

import (
	"math/rand/v2"
	"testing"
)

// TestComponents compares components of random graphs with reachability, and checks their order.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		n := 1 + rng.IntN(9)
		edges, reach := make([][]int, n), make([][]bool, n)
		for i := range n {
			reach[i] = make([]bool, n)
			reach[i][i] = true
		}
		for range rng.IntN(2 * n) {
			i, j := rng.IntN(n), rng.IntN(n)
			edges[i] = append(edges[i], j)
			reach[i][j] = true
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		root, place := rng.IntN(n), map[int]int{}
		for k, component := range Components([]int{root}, func(i int) []int { return edges[i] }) {
			for _, i := range component {
				place[i] = k
			}
		}
		for i := range n {
			if _, found := place[i]; found != reach[root][i] {
				t.Fatalf("%v from %d: %d is found: %t", edges, root, i, found)
			}
			for j := range n {
				if reach[root][i] && reach[i][j] && (place[j] > place[i] || (place[i] == place[j]) != reach[j][i]) {
					t.Fatalf("%v: %d is in component %d, %d in %d", edges, i, place[i], j, place[j])
				}
			}
		}
	}
}
