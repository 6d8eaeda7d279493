// Package parallel runs independent calls on several goroutines, and passes a panic in one of them on to the waiting
// caller. Package model gets such a function from its caller, because it starts no goroutines itself.
//
// Not here: cancelling and errors; package errgroup of golang.org/x/sync has them.
package parallel
