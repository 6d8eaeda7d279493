// Package rundir reads and writes run directories: where a training run keeps everything it produces.
//
//	config.json               game, seed, settings and plan ([Config])
//	checkpoints/000120/       weights, optimizer state and games in progress after generation 120 (package checkpoints)
//	games/000120.games        self-play games that ended in generation 120 (package record)
//	metrics.jsonl             one line per generation ([Metrics])
//	arena.jsonl               one line per match of training or of "ludus rate" ([MatchResult])
//	suite.jsonl               one line per test on the run's suite of solved positions ([SuiteResult])
//	ratings.json              the ladder of "ludus rate", which follows from all matches ([Ratings])
//	lock                      held by the process that writes (package checkpoints)
//
// One process writes at a time and holds the lock; others may read a live run. Files change atomically, and a torn last
// line of a .jsonl file is ignored. [LoadWeights] resolves references to a run's network, PATH[@GENERATION|@best].
//
// The package interprets no file beyond its format: it neither trains nor rates. Errors about file contents wrap
// [checkpoints.ErrDamaged] or [checkpoints.ErrVersion] and name the file.
package rundir
