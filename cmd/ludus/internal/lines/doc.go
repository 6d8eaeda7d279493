// Package lines reads lines from a stream in a goroutine that its caller can end, even while it waits for input.
package lines
