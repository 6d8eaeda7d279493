// Package naming handles names that people type: it finds the one that a mistyped word may have meant, and writes a name as a
// file's name or as a word of a command line.
//
// Not here: which names are known. Callers list them.
package naming
