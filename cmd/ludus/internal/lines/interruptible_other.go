//go:build !unix

package lines

import (
	"io"
	"os"
)

// Interruptible returns a stream that reads a terminal, pipe or file. Closing it ends a pending Read but leaves the file
// open. On this system the file itself is then still being read, until it has data or the program exits.
func Interruptible(file *os.File) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, file)
		w.CloseWithError(err) // nil is io.EOF
	}()
	return r
}
