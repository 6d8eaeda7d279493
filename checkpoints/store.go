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

// Part is one named file of a checkpoint. The name is a plain file name other than manifest.json, without a leading
// dot.
type Part struct {
	Name string
	Data []byte
}

// Checkpoint is a checkpoint that was loaded and passed all checks.
type Checkpoint struct {
	ID    int
	Meta  json.RawMessage // the caller's metadata from Save, as JSON
	Parts []Part          // in the order of Save
}

// Part returns the data of the named part, or nil if there is none.
func (c *Checkpoint) Part(name string) []byte {
	for _, part := range c.Parts {
		if part.Name == name {
			return part.Data
		}
	}
	return nil
}

// Store is a directory of checkpoints, those of one run.
type Store struct {
	dir   string
	fsys  fileSystem
	saved int // id of the last Save, 0 before one
}

// Suffixes of temporary directories: ID.new is being written, ID.old is being removed.
const (
	newSuffix = ".new"
	oldSuffix = ".old"
)

// NewStore returns the store in dir. A missing dir is an empty store; the first Save creates it.
func NewStore(dir string) *Store { return &Store{dir: dir, fsys: disk{}} }

// Save writes checkpoint id durably, with meta encoded as JSON. After an error or a crash the checkpoint is complete or
// absent. Save replaces a damaged checkpoint of the same id; if an intact one exists, the error wraps [fs.ErrExist].
//
// Save panics if id is negative, or if part names are empty, duplicate or not plain file names.
func (s *Store) Save(id int, meta any, parts []Part) error {
	data, err := marshalManifest(id, meta, parts)
	if err != nil {
		return err
	}
	if err := mkdirAll(s.fsys, s.dir); err != nil {
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
		return fmt.Errorf("%s: %w, and it is intact", final, fs.ErrExist)
	case !damaged && !errors.Is(err, ErrNoCheckpoint):
		return err
	}

	err = s.write(final+newSuffix, data, parts)
	if err == nil && damaged {
		err = s.fsys.Rename(final, final+oldSuffix) // out of the way; removed at the end
	}
	if err == nil {
		err = s.fsys.Rename(final+newSuffix, final)
	}
	if err != nil {
		_ = removeTree(s.fsys, final+newSuffix) // frees space if the disk is full
		return err
	}
	if err := s.fsys.SyncDir(s.dir); err != nil {
		return err
	}
	s.saved = id
	return removeTree(s.fsys, final+oldSuffix)
}

// write creates directory dir with parts and manifest and syncs it. The caller has to sync dir's parent.
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

// Load reads checkpoint id and verifies every byte. Errors wrap [ErrNoCheckpoint] if there is no such checkpoint,
// [ErrDamaged] or [ErrVersion], and name the file.
func (s *Store) Load(id int) (*Checkpoint, error) {
	dir := s.path(id)
	data, err := s.read(dir, manifestName)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data)
	if err == nil && m.ID != id {
		err = fmt.Errorf("%w: it belongs to checkpoint %d, not %d", ErrDamaged, m.ID, id)
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

// read reads a file of the checkpoint in dir. A missing file gives ErrDamaged, a missing dir ErrNoCheckpoint.
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

// Newest loads the newest intact checkpoint. It skips damaged newer ones and returns their errors as warnings, newest
// first. The error wraps [ErrNoCheckpoint] if no checkpoint is intact, and [ErrVersion] if it meets one of another
// format version: it does not silently fall back to an older one. Other file-system errors also end the search.
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
		case !errors.Is(err, ErrNoCheckpoint): // which means pruned since List
			return nil, warnings, err
		}
	}
	return nil, warnings, fmt.Errorf("%s: %w", s.dir, ErrNoCheckpoint)
}

// List returns the ids of all checkpoints in ascending order, damaged ones included.
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

// Prune removes old checkpoints. It keeps the newest keepNewest (at least 1), those whose id is a multiple of keepEvery
// (unless that is 0), and the pinned ones. After a crash each checkpoint is complete or gone. Call it after a
// successful Save. Checkpoints newer than that one are damaged ones that the run fell back from; Prune neither counts
// nor removes them.
func (s *Store) Prune(keepNewest, keepEvery int, pinned ...int) error {
	if keepNewest < 1 || keepEvery < 0 {
		panic("checkpoints: Prune with keepNewest < 1 or keepEvery < 0")
	}
	if err := s.sweep(); err != nil {
		return err
	}
	ids, err := s.List()
	if err != nil {
		return err
	}
	if i := slices.Index(ids, s.saved); s.saved > 0 && i >= 0 {
		ids = ids[:i+1] // newer ones are damaged
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

// remove removes a checkpoint. It renames the directory first and syncs the rename, then removes the files.
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

// sweep removes temporary directories that an earlier, killed writer left. That writer may not have synced its rename,
// so sweep syncs the store before it removes files.
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

// path is the directory of checkpoint id.
func (s *Store) path(id int) string { return filepath.Join(s.dir, fmt.Sprintf("%06d", id)) }

// parseID returns the id in the name of a checkpoint's directory. ok is false for any other name, such as that of a
// temporary directory.
func parseID(name string) (id int, ok bool) {
	id, err := strconv.Atoi(name)
	return id, err == nil && id >= 0 && fmt.Sprintf("%06d", id) == name
}
