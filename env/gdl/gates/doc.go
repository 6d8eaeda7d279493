// Package network turns a ground game into a network of gates and computes positions with it.
//
// A gate is the conjunction of other gates or of their negations; equal gates are the same ([Ref]). Constants are folded,
// and gates that no result needs are dropped. Atoms that depend on each other, such as connected cells, are loops: they
// are computed from false until nothing changes, which gives their least model.
//
// There are two ways to compute. [Circuit] computes all gates for 64 positions at once: [Values] are words, and bit i of
// each belongs to position i. [Play] is for games in which players take turns: a [Position] keeps the values of its gates,
// and a move updates those that change.
package gates
