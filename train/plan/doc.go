// Package plan decides how long a run trains: the number of generations that fit into a time, the games in each, the
// size of the network for that time, when the run is rated, and how a plan changes on the way.
//
// A [rundir.Plan] of a number of generations does not depend on the machine. One for a time or a CPU time ([ForTime]) comes
// from the [Cost] of work that [Measure] finds, and a [Clock] adjusts it to the speed of the run.
//
// The package changes plans and writes no files; package train stores them.
package plan
