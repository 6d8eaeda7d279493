// Package train learns a game by self-play (AlphaZero: Silver et al. 2018; with the search of Gumbel AlphaZero:
// Danihelka et al. 2022) and keeps everything in a run directory (package rundir).
//
// A run repeats generations of five steps:
//
//   - collect: every game in progress advances by the plan's number of plies, with the averaged weights. Unfinished
//     games continue in the next generation. A run that trains several sizes of its board plays one of them in each
//     generation, chosen by its share of the work so far; games in progress of the others wait. The first generations
//     of a run with [Options.Import] take games of other players instead, in the order of their files.
//   - rescore: the exact solver replaces results of the search near the ends of finished games.
//   - learn: finished games are added to the replay window or to the validation set, and the learner takes training
//     steps on samples from the window.
//   - commit: games, metrics and a checkpoint are written. A resumed run repeats all that is newer than its checkpoint.
//   - measure: ten times per run the newest checkpoint plays the shipped agent (mcts:200 if there is none), and is tested
//     on the game's suite of solved positions.
//
// With [Options.Workers] players in other processes send games, too; see package remote. A generation then ends when it
// has enough positions, whoever searched them. The games and the weights of such a run depend on when games arrive.
//
// # Who owns what
//
// The opener makes a run from its directory; then each part alone changes what it owns: package selfplay's Player the
// games in progress, package learn's Learner the network, the windows and the optimizer, the run its directory and the
// counters, the meter the matches and the suite, the inbox what workers send. Package plan decides how long it all
// takes.
//
// # Determinism
//
// Every random stream is derived from (seed, purpose, index); see package seed. A game in progress has one owner at a
// time, and the samples of a batch are independent. So games and weights depend only on the seed, the settings, the
// plan, and the weights file and the games that the run started from: not on the number of goroutines, on interruptions
// or on ratings. A plan with a number of generations does not depend on the clock; a plan for a time or a CPU time
// does, and config.json records it. The assembly kernels give the same bits on every machine that supports them; the Go
// kernels round differently (see package kernel), so a machine without AVX2 gets other weights. TestSignature holds a
// hash of a tiny run's weights for each game.
//
// # Speed
//
// The network takes 86 to 91 % of self-play's time, most of it matrix products, which run at 0.8 of a core's peak. A
// run of ten minutes with 8 samples per position spends a quarter of its time on self-play, up to 7 % on rescoring, 60
// to 70 % on learning and the rest on checkpoints and matches. `ludus bench` measures self-play and training.
//
// # What is left out
//
// Gating, several networks, and any output: the loop reports each [Event] to a callback.
package train
