// Package network turns a ground game into a network of gates, and computes with it 64 positions at once.
//
// A gate is the conjunction of other gates or of their negations; equal gates are the same ([Ref]). Constants are folded,
// and gates that no result needs are dropped. Atoms that depend on each other, such as connected cells, are loops: they
// are computed from false until nothing changes, which gives their least model.
//
// Values are words: bit i of each belongs to position i.
package network
