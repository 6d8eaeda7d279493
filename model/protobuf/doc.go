// Package protobuf writes messages in the wire format of protocol buffers
// (https://protobuf.dev/programming-guides/encoding), for ONNX models, of which we need only a few messages. A message
// is the concatenation of its fields; the elements of a repeated field are fields of their own.
//
// Not here: reading, packed fields, checks against a schema.
package protobuf
