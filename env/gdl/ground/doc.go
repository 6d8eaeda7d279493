// Package ground removes the variables from the rules of a game of the Game Description Language (GDL).
//
// [Ground] checks a sheet (roles, keywords, safe variables, negations that depend on no lower stratum), computes exactly
// what depends on neither position nor moves, and finds everything that may ever hold in a position: it starts from the
// initial fluents, lets every possible next fluent be true and every possible legal move be done, and takes negations of
// what depends on the position for possible. The result is a [Program]: atoms, each with the conjunctions that make it
// true.
//
// Before that, bodies are split: a variable that occurs in the body only is eliminated into an auxiliary predicate, if
// the rest of the body has further variables. That is bucket elimination (Dechter 1999); it bounds how many variables
// are joined at once.
//
// Games with random or hidden information (the keywords random and sees) are refused.
package ground
