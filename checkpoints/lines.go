package checkpoints

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadLines returns the lines of the file at path, without their line ends. A last line without one was torn by a crash
// and is left out. A missing file has no lines.
func ReadLines(path string) ([][]byte, error) { return readLines(disk{}, path) }

// AppendLine adds one line to the file at path, durably, and makes the file if need be. A torn last line is cut off
// first. After an error or a kill the file has the line whole, or [ReadLines] does not return it.
//
// A line that holds a line end is the caller's bug.
func AppendLine(path string, line []byte) error { return appendLine(disk{}, path, line) }

// WriteLines makes lines the content of the file at path, as [WriteFile] does: so a resumed run drops the lines that are
// newer than the checkpoint it continues from.
func WriteLines(path string, lines [][]byte) error { return writeLines(disk{}, path, lines) }

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
	return writeFile(fsys, path, data)
}

func appendLine(fsys fileSystem, path string, line []byte) error {
	data := terminated(line)
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	err = appendTo(f, data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// appendTo writes data after the last whole line of f.
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
		f.Truncate(end) // tidier, though a torn line would do no harm
		return err
	}
	return f.Sync()
}

// endOfLines returns the offset behind the last line end in the first size bytes of f.
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

// terminated returns a copy of line with its line end.
func terminated(line []byte) []byte {
	if bytes.IndexByte(line, '\n') >= 0 {
		panic("checkpoints: a line may not hold a line end")
	}
	return append(line[:len(line):len(line)], '\n')
}
