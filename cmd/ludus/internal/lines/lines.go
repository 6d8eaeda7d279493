package lines

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"ludus/env"
)

// Reader reads lines in a goroutine of its own. Close ends and joins it.
type Reader struct {
	// C delivers the lines without their line breaks. It is closed at the end of the stream and after an error.
	C <-chan []byte
	// Err is the error that ended reading, nil for the end of the stream. It is valid once C is closed.
	Err error

	stream io.Closer
	closed chan struct{}
	reader sync.WaitGroup
}

// NewReader starts reading. It cuts each line to maxLine+1 bytes, and skips a byte order mark before it. It buffers at
// most ahead lines, and holds one more, before they are taken from C. Closing the stream must end a pending Read, as it
// does for [Interruptible].
func NewReader(stream io.ReadCloser, maxLine, ahead int) *Reader {
	c := make(chan []byte, ahead)
	r := &Reader{C: c, stream: stream, closed: make(chan struct{})}
	r.reader.Go(func() {
		defer close(c)
		for buffered := bufio.NewReader(stream); ; {
			line, err := readLine(buffered, maxLine)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					r.Err = err
				}
				return
			}
			select {
			case c <- env.SkipByteOrderMark(line):
			case <-r.closed:
				return
			}
		}
	})
	return r
}

// readLine returns a fresh copy of the next line without its line break, cut to maxLine+1 bytes.
func readLine(r *bufio.Reader, maxLine int) (line []byte, err error) {
	for more := true; more && err == nil; {
		var part []byte
		part, more, err = r.ReadLine()
		line = append(line, part[:min(len(part), maxLine+1-len(line))]...)
	}
	if len(line) > 0 {
		return line, nil // the next call returns the error
	}
	return line, err
}

// Close closes the stream and waits for the goroutine to end. It must be called once.
func (r *Reader) Close() {
	close(r.closed)
	r.stream.Close()
	r.reader.Wait()
}
