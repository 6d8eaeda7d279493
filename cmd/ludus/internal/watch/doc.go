// Package watch follows the runs in a folder while they train: a [List] of them, and a [View] of each that somebody looks
// at, both with what has changed since.
//
// A [Watcher] has one goroutine, [Watcher.Run], which reads everything; the others wait for what it finds. It looks only
// at what was asked for in the last seconds, at the files' dates first, and reads of files that grow what they have grown
// by. It takes no lock and writes nothing: a run's writer does not notice it. What is published is not changed any more, so
// that readers share it and whoever is slow skips what came between.
//
// A run is a folder with config.json, checkpoints or a lock, in the watched folder or in a folder of that. Names are paths
// below the watched folder, with slashes; "." is that folder itself where it is a run and none is in it. What cannot be
// read is listed with the reason. Links that lead out of the folder are not followed.
package watch
