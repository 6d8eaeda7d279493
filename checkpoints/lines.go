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
func WriteLines(path string, lines [][]byte) error {
	var data []byte
	for _, line := range lines {
		data = append(data, terminated(line)...)
	}
	return WriteFile(path, data)
}

// readLines and appendLine are ReadLines and AppendLine on a file system fsys.
func readLines(fsys fileSystem, path string) ([][]byte, error) {
	data, err := fsys.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	lines := bytes.Split(data, []byte{'\n'})
	return lines[:len(lines)-1], nil // without what follows the last line end: nothing, or an unfinished line
}

// appendLine appends a line to a file, over an incomplete last line, and syncs the file and its directory.
func appendLine(fsys fileSystem, path string, line []byte) error {
	text := terminated(line)
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	end, size, err := endOfLines(f)
	if err == nil && end < size {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.WriteAt(text, end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// endOfLines returns the offset after the last complete line of a file, and the file's size. It reads only the file's end.
func endOfLines(f file) (end, size int64, err error) {
	if size, err = f.Size(); err != nil {
		return 0, 0, err
	}
	block := make([]byte, 4096)
	for end = size; end > 0; {
		part := block[:min(end, int64(len(block)))]
		end -= int64(len(part))
		if _, err := f.ReadAt(part, end); err != nil {
			return 0, 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return end + int64(i) + 1, size, nil
		}
	}
	return 0, size, nil
}

// terminated returns a copy of line with a line end added.
func terminated(line []byte) []byte {
	if bytes.IndexByte(line, '\n') >= 0 {
		panic("checkpoints: a line must not contain a line end")
	}
	return append(line[:len(line):len(line)], '\n') // without spare capacity, so append copies
}
