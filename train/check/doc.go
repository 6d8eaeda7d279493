// Package check verifies what a run needs to continue and to be reported, as fsck does a file system: every byte of the
// checkpoints by its checksum, their networks, every finished game by the rules, the lines of metrics, matches and suite
// results, the ratings, and the totals of each checkpoint against the games and metrics before it.
//
// It reads only, and needs no lock. What a crash may leave behind is no fault: files of the generation after the newest
// checkpoint, which a resumed run repeats. Checkpoints that the settings let a run remove are not missed.
//
// Not here: repairs, whether a run learns (package doctor), and files that only people and other programs read (report,
// workers.json).
package check
