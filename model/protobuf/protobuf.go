package protobuf

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is the number of a field in its message.
type Field = protowire.Number

// Int returns a field of type int32, int64 or enum.
func Int(field Field, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}

// Bytes returns a field of type bytes or string.
func Bytes[T []byte | string](field Field, v T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), []byte(v))
}

// Message returns a field whose type is a message with the given fields.
func Message(field Field, fields ...[]byte) []byte { return Bytes(field, slices.Concat(fields...)) }
