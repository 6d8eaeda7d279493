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
)

// List is the runs of a folder.
type List struct {
	Dir  string  `json:"dir"`
	Runs []Entry `json:"runs"`           // by name
	Note string  `json:"note,omitempty"` // what is wrong with the folder, or left out
}

func (l *List) same(other *List) bool {
	return l.Dir == other.Dir && l.Note == other.Note && slices.Equal(l.Runs, other.Runs)
}

// Bounds of what is looked at, for a folder that is not one of runs.
const (
	mostFolders = 2000
	mostRuns    = 500
)

// scan looks at all runs.
func (w *Watcher) scan() *List {
	s := scanner{dir: w.dir, left: mostFolders}
	s.folder("", 2)
	if len(s.names) == 0 && isRun(w.dir) {
		s.names, s.left = []string{"."}, mostFolders // however many checkpoints it has
	}
	list := &List{Dir: w.dir, Runs: []Entry{}}
	kept := make(map[string]*summary, len(s.names))
	slices.Sort(s.names)
	for _, name := range s.names[:min(len(s.names), mostRuns)] {
		run := w.summaryOf(name)
		kept[name] = run
		list.Runs = append(list.Runs, run.refresh())
	}
	for name, run := range w.entries { // what somebody looks at
		if w.runs[name] != nil && kept[name] == nil {
			kept[name] = run
		}
	}
	w.entries = kept
	switch {
	case errors.Is(s.err, fs.ErrNotExist):
		list.Note = fmt.Sprintf("there is no folder %s yet", w.dir)
	case s.err != nil:
		list.Note = s.err.Error()
	case s.left <= 0 || len(s.names) > mostRuns:
		list.Note = fmt.Sprintf("%s holds too much: only some of its runs are listed", w.dir)
	}
	return list
}

// summaryOf is the summary of a run that was looked at before, or a new one.
func (w *Watcher) summaryOf(name string) *summary {
	if w.entries[name] == nil {
		w.entries[name] = newSummary(w.dir, name)
	}
	return w.entries[name]
}

// scanner finds the runs of a folder.
type scanner struct {
	dir   string
	left  int // folders that may still be looked at
	names []string
	err   error
}

// folder finds the runs in a folder below dir and, depth allowing, in its folders.
func (s *scanner) folder(below string, depth int) {
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
		if isRun(full) {
			s.names = append(s.names, name)
		} else if depth > 1 && checkInside(s.dir, full) == nil {
			s.folder(name, depth-1)
		}
	}
}

// read lists a folder, but no more of it than may be looked at.
func (s *scanner) read(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(10 * mostFolders)
	if err == io.EOF {
		err = nil
	}
	return entries, err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

var errOutside = errors.New("a link leads out of the folder of runs here, and is not followed")

// checkInside returns errOutside where a path below dir leads out of dir.
func checkInside(dir, path string) error {
	root, err := resolved(dir)
	if err != nil {
		return nil // there is nothing to be read
	}
	target, err := resolved(path)
	if err != nil {
		return nil
	}
	if relative, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(relative) {
		return errOutside
	}
	return nil
}

// resolved is an absolute path without links.
func resolved(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// isRun reports whether a folder looks like a run, or the beginning or rest of one.
func isRun(dir string) bool {
	for _, name := range []string{"config.json", "checkpoints", "lock"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
