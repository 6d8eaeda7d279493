// Package oracle plays games by their rule sheets slowly and obviously: it derives every fact of a position from the
// rules as they are written, with their variables. Tests compare the fast code with it, and the tests' match server
// uses it.
//
// It evaluates bottom-up, stratum by stratum (Apt, Blair and Walker 1988). It shares only package kif and
// [ground.Components] with the code that it checks.
package oracle
