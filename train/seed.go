package train

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// newPCG returns the generator for one purpose: the same (seed, purpose, index) gives the same stream, any other an
// unrelated one.
func newPCG(seed uint64, purpose string, index int) *rand.PCG {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%s/%d", seed, purpose, index))
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))
}
