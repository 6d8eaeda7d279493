package checkpoints

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"

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

var (
	sealKind   = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	sealHeader = regexp.MustCompile(`^` + sealMagic + `([a-z0-9-]{1,32}) ([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9})\n`)
)

// Seal wraps payload, at most 512 MiB, into a file that says what it is: a kind (lower-case letters, digits and dashes, at
// most 32), the caller's format version (0 to 999,999,999), the compressed payload and a SHA-256 of everything. The bytes
// depend on the arguments alone.
//
// Arguments outside these ranges are the caller's bugs.
func Seal(kind string, version int, payload []byte) []byte {
	if !sealKind.MatchString(kind) || version < 0 || version > 999_999_999 || len(payload) > maxPayload {
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
// is one. Whether it knows the version is the caller's to say, with [ErrNewer]. Unseal takes at most 512 MiB for the payload,
// whatever data claims.
func Unseal(kind string, data []byte) (payload []byte, version int, err error) {
	header := sealHeader.FindSubmatch(data)
	if header == nil {
		return nil, 0, fmt.Errorf("%w: it does not begin like a sealed file of ludus", ErrDamaged)
	}
	size, packed := number(header[3]), number(header[4])
	body := data[len(header[0]):]
	if want := packed + sha256.Size; len(body) != want {
		return nil, 0, fmt.Errorf("%w: %d bytes instead of %d", ErrDamaged, len(data), len(header[0])+want)
	}
	sum := sha256.Sum256(data[:len(data)-sha256.Size])
	if !bytes.Equal(sum[:], body[packed:]) {
		return nil, 0, fmt.Errorf("%w: its SHA-256 is wrong", ErrDamaged)
	}
	if found := string(header[1]); found != kind {
		return nil, 0, fmt.Errorf("%w: it holds %s instead of %s", ErrDamaged, found, kind)
	}
	payload, err = unpack(body[:packed], size)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return payload, number(header[2]), nil
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
