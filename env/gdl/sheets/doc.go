// Package sheets holds rule sheets that ludus ships: examples for people who write one, and games for tests.
package sheets
