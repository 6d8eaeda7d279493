// Package doctor answers how good a run's agent is, whether longer training would help ([Summary]), and why a run does not
// learn: [Diagnose] names the most likely cause, with its evidence and a fix.
//
// A check looks for a symptom in the metrics and in the targets of the newest games, and for a setting far from its
// default that explains it: an unusual setting alone is no finding. No network is evaluated, and faults of this program
// are left to its tests.
//
// Losses and entropies are means in nats.
//
// The package does not measure strength itself (package train does, with train/match and train/suite) and cannot find
// faults in the rules of a game (see env/envtest).
package doctor
