package checkpoints

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A sealed file is as follows. SIZE and PACKED are the payload's lengths in bytes, before and after compression.
//
//	ludus-sealed KIND VERSION SIZE PACKED \n  a line of text
//	PACKED bytes                               the payload, compressed with zstd
//	32 bytes                                   the SHA-256 of all bytes before
const sealFormat = "ludus-sealed %s %d %d %d\n"

// sealHeader holds the fields of the first line.
type sealHeader struct {
	kind                  string
	version, size, packed int
}

func (h sealHeader) String() string {
	return fmt.Sprintf(sealFormat, h.kind, h.version, h.size, h.packed)
}

// maxPayload limits the memory that a forged file can make Unseal allocate.
const maxPayload = 1 << 29

// Seal returns a file that contains the compressed payload (at most 512 MiB), a kind (a short word), the caller's format
// version (0 to 999,999,999) and a SHA-256 of everything. Equal arguments give equal bytes. Seal panics if the version or
// the payload is out of range.
func Seal(kind string, version int, payload []byte) []byte {
	if version < 0 || version > 999_999_999 || len(payload) > maxPayload {
		panic("checkpoints: Seal with a bad version, or more than 512 MiB")
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("checkpoints: zstd rejects constant options: " + err.Error())
	}
	defer encoder.Close()
	packed := encoder.EncodeAll(payload, nil)
	data := append([]byte(sealHeader{kind, version, len(payload), len(packed)}.String()), packed...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Unseal verifies a file made by Seal and returns its payload. Errors wrap [ErrVersion] if an intact file of the kind
// has another version, otherwise [ErrDamaged], also for another kind. Unseal allocates at most 512 MiB for the payload,
// whatever data claims.
func Unseal(kind string, version int, data []byte) ([]byte, error) {
	return UnsealAtMost(kind, version, data, maxPayload)
}

// UnsealAtMost is Unseal for a payload of at most the given number of bytes. A larger one is [ErrDamaged].
func UnsealAtMost(kind string, version int, data []byte, most int) ([]byte, error) {
	header, body, ok := parseHeader(data)
	if !ok {
		return nil, fmt.Errorf("%w: not a sealed file of ludus", ErrDamaged)
	}
	if want := header.packed + sha256.Size; len(body) != want {
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrDamaged, len(data), len(data)-len(body)+want)
	}
	sum := sha256.Sum256(data[:len(data)-sha256.Size])
	if !bytes.Equal(sum[:], body[header.packed:]) {
		return nil, fmt.Errorf("%w: wrong SHA-256", ErrDamaged)
	}
	if header.kind != kind {
		return nil, fmt.Errorf("%w: contains %q, want %s", ErrDamaged, header.kind, kind)
	}
	if header.version != version {
		return nil, fmt.Errorf("%w: format %d, this program reads %d", ErrVersion, header.version, version)
	}
	payload, err := unpack(body[:header.packed], header.size, most)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return payload, nil
}

// parseHeader splits data after its header line. ok is false if the line differs from what Seal writes.
func parseHeader(data []byte) (h sealHeader, body []byte, ok bool) {
	line, body, _ := bytes.Cut(data, []byte("\n"))
	if len(line) > 100 {
		return h, nil, false
	}
	n, _ := fmt.Sscanf(string(line), sealFormat, &h.kind, &h.version, &h.size, &h.packed)
	ok = n == 4 && min(h.version, h.size, h.packed) >= 0 && max(h.version, h.size, h.packed) < 1e9
	return h, body, ok && h.String() == string(line)+"\n"
}

// unpack decompresses a payload of exactly size bytes, which may be at most most.
func unpack(packed []byte, size, most int) ([]byte, error) {
	if size > most {
		return nil, fmt.Errorf("payload of %d bytes, more than %d", size, most)
	}
	const window = 8 << 20 // zstd's default window, which the memory limit must allow even for a small payload
	limit := uint64(max(size, window))
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(limit))
	if err != nil {
		panic("checkpoints: zstd rejects options in range: " + err.Error())
	}
	defer decoder.Close()
	payload, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, err
	}
	if len(payload) != size {
		return nil, fmt.Errorf("payload of %d bytes, want %d", len(payload), size)
	}
	return payload, nil
}
