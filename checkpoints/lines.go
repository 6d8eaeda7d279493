package checkpoints

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadLines returns the lines of the file at path without their line ends. It leaves out a last line without a line
// end: a crash cut it short. A missing file has no lines.
func ReadLines(path string) ([][]byte, error) { return readLines(disk{}, path) }

// AppendLine appends one line to the file at path durably, and creates the file if it is missing. It first removes an
// unfinished last line. After an error or a crash, [ReadLines] returns either the whole line or nothing of it.
//
// AppendLine panics if line contains a line end.
func AppendLine(path string, line []byte) error { return appendLine(disk{}, path, line) }

// WriteLines replaces the file at path with lines, atomically as [WriteFile]. A resumed run uses it to drop the lines
// that are newer than its checkpoint.
func WriteLines(path string, lines [][]byte) error { return writeLines(disk{}, path, lines) }

// readLines, writeLines and appendLine are the exported functions on fsys.
func readLines(fsys fileSystem, path string) ([][]byte, error) {
	data, err := fsys.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	lines := bytes.Split(data, []byte{'\n'})
	return lines[:len(lines)-1], nil
}

func writeLines(fsys fileSystem, path string, lines [][]byte) error {
	var data []byte
	for _, line := range lines {
		data = append(data, terminated(line)...)
	}
	return writeFile(fsys, path, "", data)
}

func appendLine(fsys fileSystem, path string, line []byte) error {
	data := terminated(line)
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := errors.Join(appendTo(f, data), f.Close()); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// appendTo writes data after the last complete line of f and syncs f.
func appendTo(f file, data []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end, err := endOfLines(f, info.Size())
	if err != nil {
		return err
	}
	if end < info.Size() {
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt(data, end); err != nil {
		_ = f.Truncate(end) // best effort; readers ignore an unfinished line
		return err
	}
	return f.Sync()
}

// endOfLines returns the offset after the last line end in the first size bytes of f, 0 if there is none.
func endOfLines(f file, size int64) (int64, error) {
	var block [4096]byte
	for size > 0 {
		start := max(0, size-int64(len(block)))
		b := block[:size-start]
		if _, err := f.ReadAt(b, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		size = start
	}
	return 0, nil
}

// terminated returns a copy of line with a line end added.
func terminated(line []byte) []byte {
	if bytes.IndexByte(line, '\n') >= 0 {
		panic("checkpoints: a line must not contain a line end")
	}
	return append(line[:len(line):len(line)], '\n')
}
