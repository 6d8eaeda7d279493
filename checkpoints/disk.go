package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
)

// fileSystem holds the file-system calls of this package except those of locks. Tests replace it to make each call
// fail.
type fileSystem interface {
	OpenFile(name string, flag int) (file, error)
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]string, error) // names only, sorted
	Mkdir(name string) error
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(name string) error // makes the directory's entries durable
}

// file is an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	Sync() error
}

// disk is the real file system.
type disk struct{}

// OpenFile is os.OpenFile, but returns an error if name exists and is not a regular file.
func (disk) OpenFile(name string, flag int) (file, error) {
	if _, err := statRegular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

// diskFile is a file of the real file system.
type diskFile struct{ *os.File }

func (d diskFile) Size() (int64, error) {
	info, err := d.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
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

// statRegular is os.Stat, but returns an error if name is not a regular file. Reading a pipe would block.
func statRegular(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
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
		return nil // Windows cannot sync directories; it keeps renames in order
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network file systems do not support it
	}
	return err
}

// WriteFile replaces the file at path with data atomically and durably. After a crash or an error, path holds either
// its old content or all of data. The directory must exist. A path has one writer at a time.
func WriteFile(path string, data []byte) error { return writeFile(disk{}, path, "", data) }

// sharedWrites counts the calls of WriteSharedFile in this process.
var sharedWrites atomic.Int64

// WriteSharedFile is WriteFile for a path with several writers at a time, also in other processes; the last one wins. A
// crash may leave a temporary file beside path, which the next call does not remove.
func WriteSharedFile(path string, data []byte) error {
	return writeFile(disk{}, path, fmt.Sprintf(".%d-%d", os.Getpid(), sharedWrites.Add(1)), data)
}

// MkdirAll creates the directory path and its missing parents durably. An existing directory is not an error.
func MkdirAll(path string) error { return mkdirAll(disk{}, path) }

// writeFile writes data to the temporary file .NAME+suffix+.tmp beside path and renames it to path.
func writeFile(fsys fileSystem, path, suffix string, data []byte) error {
	dir, base := filepath.Split(path)
	temporary := dir + "." + base + suffix + ".tmp"
	err := writeSynced(fsys, temporary, data)
	if err == nil {
		err = fsys.Rename(temporary, path)
	}
	if err != nil {
		_ = fsys.Remove(temporary) // the first error matters
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// writeSynced writes a file directly and syncs its content. The caller still has to sync the directory.
func writeSynced(fsys fileSystem, path string, data []byte) error {
	f, err := fsys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// mkdirAll is os.MkdirAll on fsys; it also syncs the parent directories, so the new entries are durable.
func mkdirAll(fsys fileSystem, path string) error {
	err := fsys.Mkdir(path)
	if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
		if err = mkdirAll(fsys, parent); err == nil {
			err = fsys.Mkdir(path)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		if _, err := fsys.ReadDir(path); err != nil {
			return err // path is a file
		}
	} else if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// removeTree removes a file, or a directory of files one level deep. A missing path is not an error.
func removeTree(fsys fileSystem, path string) error {
	names, err := fsys.ReadDir(path) // ENOTDIR if path is a file
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
