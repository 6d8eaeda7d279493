// Package plan decides how long a run trains: how many generations fit into a time, how many games a generation has, how
// large the network is, when the run is rated, and how the plan changes during the run.
//
// A [rundir.Plan] for a number of generations does not depend on the machine. A plan for a time or a CPU time ([ForTime])
// follows from the [Cost] that [Measure] finds, and a [Clock] adjusts it to the run's speed.
//
// The package changes plans and writes no files; package train stores them.
package plan
