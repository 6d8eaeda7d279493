// Package gates compiles a ground game into a circuit of logic gates, a propositional network (propnet), and computes
// positions with it.
//
// The circuit is an and-inverter graph with n-ary conjunctions. A [Ref] is a gate or its negation; structural hashing makes
// equal gates one. Constants are folded, and gates that no result needs are not computed. Propositions that depend on each
// other, such as the connected cells of Hex, form a block, in which a variable, a loop, stands for each of them. The block is
// iterated from false to its least fixpoint.
//
// There are two ways to compute. [Circuit] is bit-parallel: a word of [Values] holds a gate's value in 64 positions.
// [Play] is for games in which players take turns: a [Position] keeps the values of its gates, and a move propagates only
// the changes (delta propagation).
//
// [Folder] does partial evaluation and satisfiability search for proofs, [Matcher] looks for automorphisms of the circuit.
package gates
