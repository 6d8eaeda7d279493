package lines

import (
	"io"
	"os"
	"sync"
)

// interruptible passes on what a goroutine reads from a file.
type interruptible struct {
	*io.PipeReader
	file  *os.File
	pipe  *io.PipeWriter
	begin sync.Once
}

// Interruptible returns a stream that reads a terminal, pipe or file, from the first Read on. Closing it ends a pending
// Read but leaves the file open. A goroutine then still waits for data from the file, until some comes or the program
// exits.
func Interruptible(file *os.File) io.ReadCloser {
	r, w := io.Pipe()
	return &interruptible{PipeReader: r, file: file, pipe: w}
}

func (i *interruptible) Read(p []byte) (int, error) {
	i.begin.Do(func() {
		go func() {
			_, err := io.Copy(i.pipe, i.file)
			i.pipe.CloseWithError(err) // nil is io.EOF
		}()
	})
	return i.PipeReader.Read(p)
}
