// Package tensorboard writes numbers that change over a run's time in the form that TensorBoard draws.
//
// An event file is a sequence of TFRecords: the length of the data (8 bytes, little-endian), the masked CRC-32C of these
// 8 bytes, the data, and the masked CRC-32C of the data. The data is a protocol buffer message tensorflow.Event. A reader
// stops at the first record that is short or whose sum is wrong, so that what a crash tore harms nothing before it.
//
// A process writes a file of its own, and TensorBoard reads the files of a folder in the order of their names. A file's
// first events are the version of the format and the start of a session with its first step, which makes readers forget
// what earlier files say of that step and later ones: a process that was killed may have written more than was kept.
//
// The package writes scalars and reads nothing. Sources: tensorflow/core/lib/io/record_writer.h,
// tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
package tensorboard
