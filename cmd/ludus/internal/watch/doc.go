// Package watch follows the runs in a directory while they train. It publishes a [List] of them and a [View] of each
// run that is being viewed.
//
// There is no goroutine: calls read the files, one call at a time, and share the results for a moment. A read checks
// file times first, and reads only files that have changed. It takes no lock of a run and writes nothing. Lists and
// views are immutable.
//
// A run is a folder with config.json, checkpoints or a lock, at most two levels below the watched directory. Its name
// is its path below that directory, with slashes; "." is the watched directory itself, if it is a run and contains
// none. A run that cannot be read is listed with the reason. Symbolic links out of the directory are not followed.
package watch
