// Package envtest is the conformance suite of package env: the tests of every game call [Run].
//
// The suite knows no game's rules. It plays random games and compares each of a game's methods with what package env
// promises, often by a slow definition: legal lists, drawings, copies, keys, classes and goals, texts, the mover's
// frame, symmetries, tensors, allocations. Rules need tests of their own: counts, transcripts, positions worked out by
// hand.
package envtest
