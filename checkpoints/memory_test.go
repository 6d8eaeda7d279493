package checkpoints

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"syscall"
)

// memory is a file system in memory that tracks what has been synced. It fails or crashes at call number failAt,
// counted from 1.
type memory struct {
	root    *node
	calls   int
	read    int // bytes that ReadAt returned
	failAt  int
	fault   error // what the failing call returns; errCrash also stops all later ones
	crashed bool
}

var errCrash = errors.New("crashed")

// node is a file or, if entries is not nil, a directory.
type node struct {
	entries map[string]*node
	past    []map[string]*node // what entries was since the last sync, the durable state first
	data    []byte
	durable []byte
}

func newDir() *node { return &node{entries: map[string]*node{}, past: []map[string]*node{{}}} }

// change applies edit to the directory's entries. A power loss may undo it until the next sync.
func (n *node) change(edit func()) {
	edit()
	n.past = append(n.past, maps.Clone(n.entries))
}

func newMemory() *memory { return &memory{root: newDir()} }

// call counts a call and returns its error, if it has to fail.
func (m *memory) call(op, name string) error {
	m.calls++
	if !m.crashed && m.calls != m.failAt {
		return nil
	}
	m.crashed = m.crashed || m.fault == errCrash
	return &fs.PathError{Op: op, Path: name, Err: m.fault}
}

// losePower turns the state into one that a disk may hold after a power loss: of unsynced data, each file keeps a
// prefix and each directory the first few changes. Renames within a directory are atomic.
func (m *memory) losePower(rng *rand.Rand) {
	var settle func(n *node)
	settle = func(n *node) {
		if n.entries == nil {
			same := 0
			for same < min(len(n.data), len(n.durable)) && n.data[same] == n.durable[same] {
				same++
			}
			if rng.IntN(2) == 0 {
				n.data = n.durable
			} else {
				n.data = n.data[:same+rng.IntN(len(n.data)-same+1)]
			}
			n.durable = n.data
			return
		}
		n.entries = maps.Clone(n.past[rng.IntN(len(n.past))])
		n.past = []map[string]*node{maps.Clone(n.entries)}
		for _, name := range slices.Sorted(maps.Keys(n.entries)) {
			settle(n.entries[name])
		}
	}
	settle(m.root)
}

// restart makes the file system work again.
func (m *memory) restart() { m.calls, m.failAt, m.fault, m.crashed = 0, 0, nil, false }

// clone copies the whole file system without its fault.
func (m *memory) clone() *memory {
	copies := map[*node]*node{}
	var copyOf func(n *node) *node
	var copyAll func(entries map[string]*node) map[string]*node
	copyOf = func(n *node) *node {
		if copies[n] == nil {
			copies[n] = &node{data: slices.Clone(n.data), durable: slices.Clone(n.durable)}
			if n.entries != nil {
				copies[n].entries = copyAll(n.entries)
			}
			for _, entries := range n.past {
				copies[n].past = append(copies[n].past, copyAll(entries))
			}
		}
		return copies[n]
	}
	copyAll = func(entries map[string]*node) map[string]*node {
		c := map[string]*node{}
		for name, child := range entries {
			c[name] = copyOf(child)
		}
		return c
	}
	return &memory{root: copyOf(m.root)}
}

// find returns the node called name.
func (m *memory) find(name string) (*node, error) {
	name = filepath.ToSlash(name)
	if name == "." || name == "/" {
		return m.root, nil
	}
	parent, err := m.find(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if parent.entries == nil {
		return nil, syscall.ENOTDIR
	}
	if n := parent.entries[path.Base(name)]; n != nil {
		return n, nil
	}
	return nil, fs.ErrNotExist
}

// lookup returns the directory that contains name, the base of name, and its node if it exists.
func (m *memory) lookup(op, name string) (parent *node, base string, n *node, err error) {
	if err := m.call(op, name); err != nil {
		return nil, "", nil, err
	}
	parent, err = m.find(path.Dir(filepath.ToSlash(name)))
	if err == nil && parent.entries == nil {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, "", nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	base = path.Base(filepath.ToSlash(name))
	return parent, base, parent.entries[base], nil
}

func (m *memory) OpenFile(name string, flag int) (file, error) {
	parent, base, n, err := m.lookup("open", name)
	if err != nil {
		return nil, err
	}
	if n == nil {
		n = &node{}
		parent.change(func() { parent.entries[base] = n })
	} else if n.entries != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	if flag&syscall.O_TRUNC != 0 {
		n.data = nil
	}
	return &memoryFile{m, n, name}, nil
}

func (m *memory) ReadFile(name string) ([]byte, error) {
	_, _, n, err := m.lookup("open", name)
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case n.entries != nil:
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	return slices.Clone(n.data), nil
}

func (m *memory) directory(op, name string) (*node, error) {
	if err := m.call(op, name); err != nil {
		return nil, err
	}
	n, err := m.find(name)
	if err == nil && n.entries == nil {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return n, nil
}

func (m *memory) ReadDir(name string) ([]string, error) {
	n, err := m.directory("open", name)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(n.entries)), nil
}

func (m *memory) SyncDir(name string) error {
	n, err := m.directory("sync", name)
	if err != nil {
		return err
	}
	n.past = []map[string]*node{maps.Clone(n.entries)}
	return nil
}

func (m *memory) Mkdir(name string) error {
	parent, base, n, err := m.lookup("mkdir", name)
	if err != nil {
		return err
	}
	if n != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	parent.change(func() { parent.entries[base] = newDir() })
	return nil
}

// Rename supports renames within one directory only; the package needs no others.
func (m *memory) Rename(from, to string) error {
	parent, base, n, err := m.lookup("rename", from)
	if err != nil {
		return err
	}
	target := path.Base(filepath.ToSlash(to))
	old := parent.entries[target]
	switch {
	case path.Dir(filepath.ToSlash(from)) != path.Dir(filepath.ToSlash(to)):
		return &fs.PathError{Op: "rename", Path: from, Err: errors.ErrUnsupported}
	case n == nil:
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	case old != nil && (old.entries != nil || n.entries != nil):
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrExist}
	}
	parent.change(func() {
		delete(parent.entries, base)
		parent.entries[target] = n
	})
	return nil
}

func (m *memory) Remove(name string) error {
	parent, base, n, err := m.lookup("remove", name)
	if err != nil {
		return err
	}
	switch {
	case n == nil:
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	case len(n.entries) > 0:
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
	}
	parent.change(func() { delete(parent.entries, base) })
	return nil
}

type memoryFile struct {
	m    *memory
	n    *node
	name string
}

func (f *memoryFile) Size() (int64, error) {
	return int64(len(f.n.data)), f.m.call("stat", f.name)
}

func (f *memoryFile) ReadAt(b []byte, offset int64) (int, error) {
	if err := f.m.call("read", f.name); err != nil {
		return 0, err
	}
	f.m.read += len(b)
	return copy(b, f.n.data[offset:]), nil
}

// WriteAt writes half of the data if it fails.
func (f *memoryFile) WriteAt(b []byte, offset int64) (int, error) {
	crashed := f.m.crashed
	err := f.m.call("write", f.name)
	if crashed {
		return 0, err
	}
	if err != nil {
		b = b[:len(b)/2]
	}
	data := slices.Clone(f.n.data[:min(len(f.n.data), int(offset))])
	data = append(data, b...)
	if len(data) < len(f.n.data) {
		data = append(data, f.n.data[len(data):]...)
	}
	f.n.data = data
	return len(b), err
}

func (f *memoryFile) Truncate(size int64) error {
	if err := f.m.call("truncate", f.name); err != nil {
		return err
	}
	f.n.data = f.n.data[:size]
	return nil
}

func (f *memoryFile) Sync() error {
	if err := f.m.call("sync", f.name); err != nil {
		return err
	}
	f.n.durable = f.n.data
	return nil
}

func (f *memoryFile) Close() error { return f.m.call("close", f.name) }
