// Package infertest makes random networks for tests of other packages. Tests inside package infer cannot import it and have
// their own.
package infertest
