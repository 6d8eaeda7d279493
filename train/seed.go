package train

import (
	"math/rand/v2"

	"ludus/train/seed"
)

// newPCG returns the generator for one purpose; see [seed.New].
func newPCG(s uint64, purpose string, index int) *rand.PCG { return seed.New(s, purpose, index) }
