package lines

import (
	"io"
	"os"
)

// Interruptible returns a stream that reads a terminal, pipe or file. Closing it ends a pending Read but leaves the
// file open. A goroutine then still waits for data from the file, until some comes or the program exits.
func Interruptible(file *os.File) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, file)
		w.CloseWithError(err) // nil is io.EOF
	}()
	return r
}
