// Package tensorboard writes scalars to TensorBoard event files. It reads nothing.
//
// An event file is a sequence of TFRecords: length of the data (8 bytes, little-endian), masked CRC-32C of the length,
// data, masked CRC-32C of the data. The data is a protocol buffer message tensorflow.Event. Readers stop at the first
// record that is cut short or whose checksum is wrong, so a torn record does not affect those before it.
//
// Each process writes its own file, and TensorBoard reads the files of a directory in the order of their names. A file
// starts with the format version and the start of a session at a step: readers then discard earlier files' events at
// that step and later ones, since a killed process may have written more than its run kept.
//
// Sources: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto.
package tensorboard
