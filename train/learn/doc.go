// Package learn trains the network on finished games of self-play.
//
// [Learner.Add] puts each game into the replay window of its size of the board or, for a share of them, into the validation
// set. A window keeps the newest games. [Learner.Train] draws samples from one of them, turns each by a random symmetry of
// the game, writes them to a batch (package model) and takes a training step. A batch has samples of one size.
// [Learner.Validate] measures a network on the validation set, and [Diversity] says how varied games are.
//
// # Conventions
//
// A sample is in the frame of its mover: actions, classes and goals. The reply, the policy target of the ply after the
// sample's, is in the frame of the sample's mover, too. Random streams are derived from the run's seed and the
// generation, and the samples of a batch are independent, so weights do not depend on the number of threads.
//
// # What is left out
//
// Files: the caller reads and writes them. Deciding when to learn, and how long (packages plan and train).
package learn
