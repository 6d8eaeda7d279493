package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// New returns the random generator for one purpose. The same (seed, purpose, index) gives the same stream; any other triple
// gives an unrelated one. The state is the first 16 bytes of SHA-256("seed/purpose/index").
func New(seed uint64, purpose string, index int) *rand.PCG {
	sum := hash(seed, purpose, index)
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))
}

// Derive returns a new seed for one purpose, with the same guarantee as [New].
func Derive(seed uint64, purpose string, index int) uint64 {
	sum := hash(seed, purpose, index)
	return binary.LittleEndian.Uint64(sum[:8])
}

func hash(seed uint64, purpose string, index int) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%d/%s/%d", seed, purpose, index))
}
