package watch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ludus/train/rundir"
)

// List holds the runs in a directory.
type List struct {
	Dir  string  `json:"dir"`
	Path string  `json:"path"`           // absolute path of Dir
	Runs []Entry `json:"runs"`           // sorted by name
	Note string  `json:"note,omitempty"` // why the directory cannot be read, or why some runs are not listed
}

// Limits of a scan, in case the directory is full of other files.
const (
	maxDepth   = 2 // levels of folders below the directory
	maxFolders = 2000
	maxRuns    = 500
)

// scan finds the runs in w.dir and refreshes them. List.Note is set if some runs may be missing.
func (w *Watcher) scan() *List {
	s := scanner{dir: w.dir, left: maxFolders}
	s.visit("", maxDepth)
	if len(s.names) == 0 && rundir.Is(w.dir) {
		s.names, s.left = []string{"."}, maxFolders // dir is a run itself: no runs are missing below it
	}
	list := &List{Dir: w.dir, Path: w.dir, Runs: []Entry{}}
	if path, err := filepath.Abs(w.dir); err == nil {
		list.Path = path
	}
	runs := make(map[string]*runReader, len(s.names))
	slices.Sort(s.names)
	for _, name := range s.names[:min(len(s.names), maxRuns)] {
		run := w.runs[name]
		if run == nil {
			run = newRunReader(w.dir, name)
		}
		runs[name] = run
		list.Runs = append(list.Runs, run.refresh())
	}
	w.runs = runs
	switch {
	case errors.Is(s.err, fs.ErrNotExist): // no runs yet: the first run creates the folder
	case s.err != nil:
		list.Note = s.err.Error()
	case s.left <= 0 || len(s.names) > maxRuns:
		list.Note = fmt.Sprintf("%s has too many folders: some runs are not listed", w.dir)
	}
	return list
}

// scanner searches dir for runs.
type scanner struct {
	dir   string
	left  int // number of folders that may still be visited
	names []string
	err   error
}

// visit adds the runs in the folder dir/below to s.names. It descends `depth` levels, but not into runs.
func (s *scanner) visit(below string, depth int) {
	entries, err := s.read(filepath.Join(s.dir, filepath.FromSlash(below)))
	if err != nil && below == "" {
		s.err = err
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		full := filepath.Join(s.dir, filepath.FromSlash(name))
		if strings.HasPrefix(e.Name(), ".") || s.left <= 0 {
			continue
		}
		if link := e.Type()&fs.ModeSymlink != 0; !link && !e.IsDir() || link && !isFolder(full) {
			continue
		}
		s.left--
		if rundir.Is(full) {
			s.names = append(s.names, name)
		} else if depth > 1 {
			if _, err := Resolve(s.dir, name); err == nil {
				s.visit(name, depth-1)
			}
		}
	}
}

// read lists a folder, at most a limited number of entries.
func (s *scanner) read(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(10 * maxFolders)
	if err == io.EOF {
		err = nil
	}
	return entries, err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ErrOutside means that a path given to [Resolve] leads out of its folder.
var ErrOutside = errors.New("a symbolic link leads out of the folder of runs; it is not followed")

// Resolve returns the absolute path, without symbolic links, of a path below dir.
func Resolve(dir, path string) (string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return "", err
	}
	target, err := filepath.EvalSymlinks(filepath.Join(root, path))
	if err != nil {
		return "", err
	}
	if relative, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(relative) {
		return "", ErrOutside
	}
	return target, nil
}
