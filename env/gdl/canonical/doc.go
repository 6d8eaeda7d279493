// Package canonical recognises rule sheets that differ only in names and in the order of rules and conditions.
//
// [New] computes the canonical form of a sheet. Two sheets are isomorphic, equal except for names and order, if and
// only if the texts of their forms are equal. Names with equal numbers then correspond. Keywords and numbers keep their
// meaning and are never renamed.
//
// The search treats names and variables as vertices of a graph, joined where they occur together in a rule. Colour
// refinement separates most of them; where several look alike, each is tried in turn, and automorphisms found on the
// way prune the search. Sources: McKay and Piperno 2014; Schiffel 2010 for the graph of rules.
package canonical
