// Package bench measures the speed of the environment, the search, the network, training and self-play on this machine.
//
// A machine's speed varies with its load and temperature. Measurements that are compared therefore run in turn, in
// short rounds; a speed is the median over the rounds, per second. One unmeasured round comes first.
//
// Each row has a cpu_share: the CPU time it got over the CPU time it could have used. Below [BusyShare] other programs
// slowed the row down.
//
// The package prints nothing: it returns a [Report] and reports its progress.
package bench
