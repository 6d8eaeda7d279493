package protobuf

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is the number of a field in its message.
type Field = protowire.Number

// Int returns a field of type int32, int64 or enum.
func Int(field Field, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}

// Float returns a field of type float.
func Float(field Field, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(nil, field, protowire.Fixed32Type), math.Float32bits(v))
}

// Double returns a field of type double.
func Double(field Field, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, field, protowire.Fixed64Type), math.Float64bits(v))
}

// Bytes returns a field of type bytes or string.
func Bytes[T []byte | string](field Field, v T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), []byte(v))
}

// Message returns a field whose type is a message with the given fields.
func Message(field Field, fields ...[]byte) []byte { return Bytes(field, slices.Concat(fields...)) }
