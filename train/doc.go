// Package train turns self-play into a stronger network: slots of unfinished games, played by search; a replay window
// of finished ones; a learner; and the loop that alternates between them and leaves everything it has done in a run
// directory.
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
// Each generator is a PCG seeded by a hash of (seed, purpose, index). Slots have one owner at a time and rows of a
// batch are independent, so games and weights depend on the seed, the settings and the [Plan] alone: not on the number
// of goroutines, or interruptions. A plan of generations is free of the clock; a plan of a time is not, and is
// recorded. Kernels in assembly give the same bits on all machines that have them; those in Go round differently (see
// package kernel), so a run comes out differently on a machine without AVX2.
//
// # Speed
//
// Self-play by default settings, in % of a core's time with AVX-512 and without the evaluation cache (profiles of
// BenchmarkNetworkShare):
//
//	                                             quad-5x5   quad-7x7
//	network: products of matrices                    55         58
//	network: transforms of boards                    25         27
//	network: heads' shuffling, softmax, calls         7          6
//	encoding positions                                2          1
//	choosing leaves                                   7          4
//	backing up, starting searches, recording          4          4
//
// So the network takes 86 to 91 % of it, and what is left to gain lies in its products, which run at 0.8 of the core's
// peak. A worker plays 32 games at once, which makes batches of 29 on average; they shrink only where a generation
// ends, and there cores wait for each other (idle_share in metrics.jsonl). A run of quad-5x5 by default settings spends a
// quarter of its time playing, nearly three quarters learning (package model has that profile), and the rest on
// checkpoints and matches. `ludus bench` measures all of it.
//
// The loop knows no screen: it reports [Progress] to a callback. What it leaves out: gating, distributed self-play.
package train
