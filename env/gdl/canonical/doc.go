// Package canonical recognises rule sheets that differ only in names and in the order of rules and conditions.
//
// [New] computes the canonical form of a sheet. Two sheets are isomorphic, equal but for names and order, if and only if the
// texts of their forms are equal; then names with equal numbers correspond. Keywords and numbers are never renamed.
//
// Names and variables are the vertices of a graph whose edges are the places in rules where they stand together. Colour
// refinement tells most of them apart; where several look alike, each is tried in turn, and automorphisms that are found
// prune the others. Source: McKay and Piperno 2014; Schiffel 2010 has the graph of rules.
package canonical
