// Package check verifies a run's files, as fsck does a file system's: checksums of checkpoints and games, every finished
// game by the rules, the lines of metrics, matches and suite results, and the totals of each checkpoint against the games
// and metrics before it.
//
// It reads only, and needs no lock. What a crash may leave behind is no fault: files of the generation after the newest
// checkpoint, which a resumed run repeats, and the checkpoints and games that the settings let a run remove.
//
// Not here: repairs, and whether a run learns (package doctor).
package check
