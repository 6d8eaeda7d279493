// Package train turns self-play into a stronger network: slots of unfinished games, played by search; a replay window of
// finished ones; a learner; and the loop that alternates between them and leaves everything it has done in a run directory.
//
// A generation is: every slot advances by the plan's number of plies with the current averaged weights, on all cores;
// then the learner takes its steps, on all cores; then a checkpoint is written, and the averaged weights play the next
// generation. Games carry over from generation to generation.
//
// # Conventions
//
// Everything a record keeps (policies, class distributions, proven classes) speaks from the mover's side and lists
// legal actions in ascending absolute order; it is mapped to the mover's frame when a training row is written.
//
// # Determinism
//
// Each generator is a PCG seeded by a hash of (seed, purpose, index). Slots have one owner at a time and rows of a batch
// are independent, so games and weights depend on the seed, the settings and the [Plan] alone: not on the number of
// goroutines, or interruptions. A plan of generations is free of the clock; a plan of a time is not, and is recorded.
// Kernels in assembly give the same bits on all machines that have them; those in Go round differently (see package
// kernel), so a run comes out differently on a machine without AVX2.
//
// The loop knows no screen: it reports [Progress] to a callback. What it leaves out: gating, distributed self-play.
package train
