package checkpoints

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestSeal(t *testing.T) {
	noise := make([]byte, 300_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for _, payload := range [][]byte{nil, []byte("a game"), bytes.Repeat([]byte("again "), 100_000), noise} {
		data := Seal("games", 3, payload)
		if !bytes.Equal(data, Seal("games", 3, payload)) {
			t.Error("two seals of one payload differ")
		}
		got, err := Unseal("games", 3, data)
		if err != nil || !bytes.Equal(got, payload) {
			t.Errorf("%d bytes: error %v", len(payload), err)
		}
		if _, err := Unseal("games", 4, data); !errors.Is(err, ErrVersion) {
			t.Errorf("another version: error %v", err)
		}
	}
	if size := len(Seal("games", 1, bytes.Repeat([]byte("again "), 100_000))); size > 1000 {
		t.Errorf("600,000 dull bytes take %d", size)
	}
}

func TestUnsealDamage(t *testing.T) {
	whole := Seal("games", 1, []byte("some games, and some more games"))
	refused := func(what, reason string, data []byte) {
		t.Helper()
		_, err := Unseal("games", 1, data)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for i := range whole {
		for bit := range 8 {
			altered := bytes.Clone(whole)
			altered[i] ^= 1 << bit
			refused(fmt.Sprintf("bit %d of byte %d", bit, i), "", altered)
		}
		refused(fmt.Sprintf("cut at %d", i), "", whole[:i])
	}
	refused("cut by one", fmt.Sprintf("%d bytes, want %d", len(whole)-1, len(whole)), whole[:len(whole)-1])
	refused("longer", "want", append(bytes.Clone(whole), 0))
	refused("other kind", `contains "moves", want games`, Seal("moves", 1, nil))
	refused("text", "not a sealed file", []byte("hello"))
	refused("altered", "SHA-256", append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1))
}

// forge returns a sealed file with an arbitrary size in its header.
func forge(size int, packed []byte) []byte {
	data := append([]byte(sealHeader{"games", 1, size, len(packed)}.String()), packed...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

func TestUnsealForged(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := encoder.EncodeAll(make([]byte, 64<<20), nil)
	for name, data := range map[string][]byte{
		"bomb":     forge(10, bomb),
		"too long": forge(64<<20+1, bomb),
		"too big":  forge(maxPayload+1, bomb),
		"not zstd": forge(10, []byte("0123456789")),
		"nothing":  forge(10, nil),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Unseal("games", 1, data)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; name != "too long" && used > 16<<20 {
			t.Errorf("%s takes %d bytes", name, used)
		}
	}
}

func FuzzUnseal(f *testing.F) {
	whole := Seal("games", 1, []byte("some games"))
	f.Add(whole)
	f.Add(whole[:20])
	f.Add(forge(5, whole))
	f.Add([]byte("ludus-sealed games 1 5 999999999\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, forge(len(data)%5000, data)} {
			payload, err := Unseal("games", 1, data)
			if err != nil {
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
					t.Errorf("error %v", err)
				}
				continue
			}
			again, err := Unseal("games", 1, Seal("games", 1, payload))
			if err != nil || !bytes.Equal(again, payload) {
				t.Errorf("sealed again: %v", err)
			}
		}
	})
}
