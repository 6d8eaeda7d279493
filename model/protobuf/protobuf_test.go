package protobuf

import (
	"bytes"
	"slices"
	"testing"
)

// TestEncoding compares with the examples of the encoding's documentation.
func TestEncoding(t *testing.T) {
	for want, got := range map[string][]byte{
		"\x08\x96\x01":         Int(1, 150),
		"\x12\x07testing":      Bytes(2, "testing"),
		"\x1a\x03\x08\x96\x01": Message(3, Int(1, 150)),
		"\x08" + string(bytes.Repeat([]byte{0xff}, 9)) + "\x01": Int(1, -1),
		"\xa2\x01\x04\x08\x01\x08\x02":                          Message(20, Int(1, 1), Int(1, 2)),
	} {
		if !slices.Equal(got, []byte(want)) {
			t.Errorf("%x; want %x", got, want)
		}
	}
}
