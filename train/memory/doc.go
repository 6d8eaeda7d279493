// Package memory says how much memory the process can still get, so that large tables are sized by it. A process that takes
// more than its container allows is killed without a word.
package memory
