// Package parallel runs independent calls on several goroutines, and passes their panics on to the one that waits. Package
// model takes such a function from its caller, because it starts no goroutines itself.
//
// Not here: cancelling, errors; package errgroup of golang.org/x/sync has them.
package parallel
