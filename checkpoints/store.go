package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Part is one named file of a checkpoint. The name is a plain file name other than manifest.json, without a leading dot.
type Part struct {
	Name string
	Data []byte
}

// Checkpoint is one that was read and found whole.
type Checkpoint struct {
	ID    int
	Meta  json.RawMessage // what the writer handed to Save, as JSON
	Parts []Part          // in the order in which they were saved
}

// Part returns the bytes of the named part, nil if the checkpoint has no such part.
func (c *Checkpoint) Part(name string) []byte {
	for _, part := range c.Parts {
		if part.Name == name {
			return part.Data
		}
	}
	return nil
}

// Store is the checkpoints of one run.
type Store struct {
	dir   string
	fsys  fileSystem
	saved int // id of the last Save, 0 before one
}

// Temporary names: ID.new is being written, ID.old is being removed.
const (
	newSuffix = ".new"
	oldSuffix = ".old"
)

// Open returns the store in dir. It creates nothing: a missing dir is an empty store, and the first Save makes it.
func Open(dir string) (*Store, error) { return open(disk{}, dir) }

func open(fsys fileSystem, dir string) (*Store, error) {
	if _, err := fsys.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &Store{dir: dir, fsys: fsys}, nil
}

// Save writes checkpoint id, with meta as JSON, durably: when it returns nil the checkpoint outlives a loss of power, and
// after an error or a crash it is there whole or not at all. A damaged checkpoint of the same id is replaced. A whole one is
// not: the error wraps [fs.ErrExist].
//
// A negative id, and part names that are empty, doubled or no plain file names, are the caller's bugs.
func (s *Store) Save(id int, meta any, parts []Part) error {
	data, err := marshalManifest(id, meta, parts)
	if err != nil {
		return err
	}
	if err := makeDir(s.fsys, s.dir); err != nil {
		return err
	}
	if err := s.sweep(); err != nil {
		return err
	}
	final := s.path(id)
	_, err = s.Load(id)
	damaged := errors.Is(err, ErrDamaged)
	switch {
	case err == nil:
		return fmt.Errorf("%s: %w, and is whole", final, fs.ErrExist)
	case !damaged && !errors.Is(err, ErrNoCheckpoint):
		return err
	}

	err = s.write(final+newSuffix, data, parts)
	if err == nil && damaged {
		err = s.fsys.Rename(final, final+oldSuffix)
	}
	if err == nil {
		err = s.fsys.Rename(final+newSuffix, final)
	}
	if err != nil {
		removeTree(s.fsys, final+newSuffix) // makes room again on a full disk; the error to tell is the first
		return err
	}
	if err := s.fsys.SyncDir(s.dir); err != nil {
		return err
	}
	s.saved = id
	return removeTree(s.fsys, final+oldSuffix)
}

// write makes the directory dir with the parts and the manifest, all of it durable but for dir's own entry.
func (s *Store) write(dir string, manifest []byte, parts []Part) error {
	if err := s.fsys.Mkdir(dir); err != nil {
		return err
	}
	for _, part := range parts {
		if err := writeSynced(s.fsys, filepath.Join(dir, part.Name), part.Data); err != nil {
			return err
		}
	}
	if err := writeSynced(s.fsys, filepath.Join(dir, manifestName), manifest); err != nil {
		return err
	}
	return s.fsys.SyncDir(dir)
}

// Load reads checkpoint id and checks every byte of it. Errors wrap [ErrNoCheckpoint] if there is no such checkpoint, [ErrDamaged],
// which then names the file and what is wrong with it, or [ErrVersion].
func (s *Store) Load(id int) (*Checkpoint, error) {
	dir := s.path(id)
	data, err := s.read(dir, manifestName)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data)
	if err == nil && m.ID != id {
		err = fmt.Errorf("%w: it is of checkpoint %d, not %d", ErrDamaged, m.ID, id)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestName), err)
	}
	c := &Checkpoint{ID: id, Meta: m.Meta, Parts: make([]Part, len(m.Parts))}
	for i, want := range m.Parts {
		data, err := s.read(dir, want.Name)
		if err != nil {
			return nil, err
		}
		if err := want.check(data); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, want.Name), err)
		}
		c.Parts[i] = Part{want.Name, data}
	}
	return c, nil
}

// read reads a file of the checkpoint in dir. A missing file is damage; a missing dir is no checkpoint.
func (s *Store) read(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	data, err := s.fsys.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := s.fsys.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w", dir, ErrNoCheckpoint)
		} else if err == nil {
			err = fmt.Errorf("%s: %w: the file is missing", path, ErrDamaged)
		}
		return nil, err
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s: %w: it is a file, not a directory", dir, ErrDamaged)
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s: %w: it is a directory, not a file", path, ErrDamaged)
	}
	return data, err
}

// Newest loads the newest whole checkpoint. The damaged ones that are newer come back as warnings, newest first, each
// naming the file at fault. The error wraps [ErrNoCheckpoint] if no checkpoint is whole, and [ErrVersion] if the newest whole one is
// in a format of the future: an older one is not silently used in its place. Other faults of the file system also end the
// search.
func (s *Store) Newest() (c *Checkpoint, warnings []error, err error) {
	ids, err := s.List()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range slices.Backward(ids) {
		c, err := s.Load(id)
		switch {
		case err == nil:
			return c, warnings, nil
		case errors.Is(err, ErrDamaged):
			warnings = append(warnings, err)
		case !errors.Is(err, ErrNoCheckpoint): // thinned away since List
			return nil, warnings, err
		}
	}
	return nil, warnings, fmt.Errorf("%s: %w", s.dir, ErrNoCheckpoint)
}

// List returns the numbers of all checkpoints, whatever their health, ascending.
func (s *Store) List() ([]int, error) {
	names, err := s.fsys.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []int
	for _, name := range names {
		if id, ok := parseID(name); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Prune removes old checkpoints: of all but the newest keepNewest (at least 1) it keeps those whose number is a multiple
// of keepEvery, none if that is 0, and those that are pinned. A crash leaves every checkpoint whole or gone. Call it after
// a successful Save, which makes sure that the newest is whole; what lies above it, damaged, is neither counted nor touched.
func (s *Store) Prune(keepNewest, keepEvery int, pinned ...int) error {
	if keepNewest < 1 || keepEvery < 0 {
		panic("checkpoints: Thin would keep less than the newest checkpoint")
	}
	if err := s.sweep(); err != nil {
		return err
	}
	ids, err := s.List()
	if err != nil {
		return err
	}
	if i := slices.Index(ids, s.saved); s.saved > 0 && i >= 0 {
		ids = ids[:i+1] // newer ones are damaged, or Save would not have come to this number
	}
	for _, id := range ids[:max(0, len(ids)-keepNewest)] {
		if keepEvery > 0 && id%keepEvery == 0 || slices.Contains(pinned, id) {
			continue
		}
		if err := s.remove(id); err != nil {
			return err
		}
	}
	return nil
}

// remove takes a checkpoint away under a temporary name first, which has to be durable before the first file goes.
func (s *Store) remove(id int) error {
	path := s.path(id)
	if err := s.fsys.Rename(path, path+oldSuffix); err != nil {
		return err
	}
	if err := s.fsys.SyncDir(s.dir); err != nil {
		return err
	}
	return removeTree(s.fsys, path+oldSuffix)
}

// sweep removes what an earlier writer left under temporary names. A writer that was killed may not have made the rename
// to such a name durable; that has to be done before the first file goes.
func (s *Store) sweep() error {
	names, err := s.fsys.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		stem := strings.TrimSuffix(strings.TrimSuffix(name, newSuffix), oldSuffix)
		if _, ok := parseID(stem); !ok || stem == name {
			continue
		}
		if err := s.fsys.SyncDir(s.dir); err != nil {
			return err
		}
		if err := removeTree(s.fsys, filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) path(id int) string { return filepath.Join(s.dir, fmt.Sprintf("%06d", id)) }

// parseID reads the name of a checkpoint's directory.
func parseID(name string) (int, bool) {
	id, err := strconv.Atoi(name)
	return id, err == nil && id >= 0 && fmt.Sprintf("%06d", id) == name
}
