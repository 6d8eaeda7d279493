package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// fileSystem is every call this package makes to the file system, so that tests can let each of them fail.
type fileSystem interface {
	OpenFile(name string, flag int) (file, error)
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]string, error) // names only, sorted
	Mkdir(name string) error
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(name string) error // makes the directory's entries durable
}

// file is the part of *os.File that writing needs.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// disk is the operating system's file system.
type disk struct{}

func (disk) OpenFile(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err // not f: a nil *os.File is not a nil file
	}
	return f, nil
}

func (disk) ReadFile(name string) ([]byte, error) {
	if _, err := statRegular(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

func (disk) Mkdir(name string) error      { return os.Mkdir(name, 0o777) }
func (disk) Rename(from, to string) error { return os.Rename(from, to) }
func (disk) Remove(name string) error     { return os.Remove(name) }

// statRegular is os.Stat with an error for what is no regular file: a pipe would keep its reader waiting.
func statRegular(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a regular file", name)
	}
	return info, err
}

func (disk) ReadDir(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

func (disk) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows has no such call and orders renames itself
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network file systems cannot, and have nothing better to offer
	}
	return err
}

// WriteFile makes data the content of the file at path, whose directory must exist: after a crash or an error path holds
// what it held before or all of data. The temporary name stands beside it and is removed on error.
func WriteFile(path string, data []byte) error { return writeFile(disk{}, path, data) }

// MkdirAll makes the directory at path durably, with its parents. An existing one is left as it is.
func MkdirAll(path string) error { return makeDir(disk{}, path) }

func writeFile(fsys fileSystem, path string, data []byte) error {
	dir, base := filepath.Split(path)
	temporary := dir + "." + base + ".tmp"
	err := writeSynced(fsys, temporary, data)
	if err == nil {
		err = fsys.Rename(temporary, path)
	}
	if err != nil {
		fsys.Remove(temporary)
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// writeSynced writes a file under its own name and makes its content durable, its directory entry not yet.
func writeSynced(fsys fileSystem, path string, data []byte) error {
	f, err := fsys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func makeDir(fsys fileSystem, path string) error {
	err := fsys.Mkdir(path)
	if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
		if err = makeDir(fsys, parent); err == nil {
			err = fsys.Mkdir(path)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		if _, err := fsys.ReadDir(path); err != nil {
			return err // a file is in the way
		}
	} else if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// removeTree removes a directory and the files in it, or a file. What is not there is removed already.
func removeTree(fsys fileSystem, path string) error {
	names, err := fsys.ReadDir(path)
	if err != nil && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		if err := fsys.Remove(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	if err := fsys.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
