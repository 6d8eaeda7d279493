// Package fake is an engine for tests of outside programs: a test's own binary, which plays legal moves by GTP,
// Gomocup's or NBoard's protocol and does wrong what its arguments say. Only tests import it.
package fake
