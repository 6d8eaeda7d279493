package checkpoints

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A sealed file reads
//
//	ludus-sealed KIND VERSION SIZE PACKED \n  a line of text; SIZE and PACKED count the payload's bytes, plain and compressed
//	PACKED bytes                               the payload, compressed by zstd
//	32 bytes                                   the SHA-256 of all bytes before
const sealMagic = "ludus-sealed "

// maxPayload bounds the memory that a forged file can ask for.
const maxPayload = 1 << 29

// Seal wraps payload, at most 512 MiB, into a file that says what it is: a kind (lower-case letters, digits and dashes, at
// most 32), the caller's format version (0 to 999,999,999), the compressed payload and a SHA-256 of everything. The bytes
// depend on the arguments alone.
//
// Arguments outside these ranges are the caller's bugs.
func Seal(kind string, version int, payload []byte) []byte {
	if !isKind([]byte(kind)) || version < 0 || version > 999_999_999 || len(payload) > maxPayload {
		panic("checkpoints: Seal with a bad kind or version, or more than 512 MiB")
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("checkpoints: zstd refuses constant options")
	}
	defer encoder.Close()
	packed := encoder.EncodeAll(payload, nil)
	data := fmt.Appendf(nil, "%s%s %d %d %d\n", sealMagic, kind, version, len(payload), len(packed))
	data = append(data, packed...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Unseal checks and unwraps what Seal made. Every error wraps [ErrDamaged] and says what is wrong; a file of another kind
// is one. Whether it knows the version is the caller's to say, with [ErrVersion]. Unseal takes at most 512 MiB for the payload,
// whatever data claims.
func Unseal(kind string, data []byte) (payload []byte, version int, err error) {
	header, body, ok := cutHeader(data)
	if !ok {
		return nil, 0, fmt.Errorf("%w: it does not begin like a sealed file of ludus", ErrDamaged)
	}
	size, packed := number(header[2]), number(header[3])
	if want := packed + sha256.Size; len(body) != want {
		return nil, 0, fmt.Errorf("%w: %d bytes instead of %d", ErrDamaged, len(data), len(data)-len(body)+want)
	}
	sum := sha256.Sum256(data[:len(data)-sha256.Size])
	if !bytes.Equal(sum[:], body[packed:]) {
		return nil, 0, fmt.Errorf("%w: its SHA-256 is wrong", ErrDamaged)
	}
	if found := string(header[0]); found != kind {
		return nil, 0, fmt.Errorf("%w: it holds %s instead of %s", ErrDamaged, found, kind)
	}
	payload, err = unpack(body[:packed], size)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return payload, number(header[1]), nil
}

// cutHeader splits data after its first line, which is that of a sealed file: KIND, VERSION, SIZE and PACKED.
func cutHeader(data []byte) (fields [][]byte, body []byte, ok bool) {
	line, body, ok := bytes.Cut(data, []byte("\n"))
	line, magic := bytes.CutPrefix(line, []byte(sealMagic))
	fields = bytes.Split(line, []byte(" "))
	ok = ok && magic && len(fields) == 4 && isKind(fields[0]) && !slices.ContainsFunc(fields[1:], notNumber)
	return fields, body, ok
}

// isKind reports whether text is 1 to 32 lower-case letters, digits and dashes.
func isKind(text []byte) bool {
	odd := func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-') }
	return len(text) >= 1 && len(text) <= 32 && !bytes.ContainsFunc(text, odd)
}

// notNumber reports whether text is not 1 to 9 digits.
func notNumber(text []byte) bool {
	odd := func(r rune) bool { return r < '0' || r > '9' }
	return len(text) < 1 || len(text) > 9 || bytes.ContainsFunc(text, odd)
}

// unpack decompresses a payload of exactly size bytes.
func unpack(packed []byte, size int) ([]byte, error) {
	if size > maxPayload {
		return nil, fmt.Errorf("a payload of %d bytes, more than 512 MiB", size)
	}
	const window = 8 << 20 // zstd's own, which the limit on memory has to allow even for a small payload
	limit := uint64(max(size, window))
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(limit))
	if err != nil {
		panic("checkpoints: zstd refuses options within range")
	}
	defer decoder.Close()
	payload, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, err
	}
	if len(payload) != size {
		return nil, fmt.Errorf("a payload of %d bytes instead of %d", len(payload), size)
	}
	return payload, nil
}

// number is the value of at most nine digits, which any int holds.
func number(digits []byte) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}
