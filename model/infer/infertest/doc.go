// Package infertest makes random networks for tests of other packages. Package infer has its own in its tests, because it cannot
// import this one.
package infertest
