// Package recordtest makes records of games for tests.
package recordtest
