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
	s.root, s.err = filepath.EvalSymlinks(w.dir)
	if isRun(w.dir) {
		s.names = []string{"."}
	} else if s.err == nil {
		s.folder("", 2)
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
	for name, reason := range s.outside {
		list.Runs = append(list.Runs, Entry{Name: name, State: Broken, Problem: reason})
	}
	slices.SortFunc(list.Runs, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
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
		w.entries[name] = newSummary(name, filepath.Join(w.dir, filepath.FromSlash(name)))
	}
	return w.entries[name]
}

// scanner finds the runs of a folder.
type scanner struct {
	dir, root string // as given, and where links lead
	left      int    // folders that may still be looked at
	names     []string
	outside   map[string]string // why what looks like a run is none
	err       error
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
		if link := e.Type()&fs.ModeSymlink != 0; !link && !e.IsDir() || link && !s.leadsInside(name, full) {
			continue
		}
		s.left--
		if isRun(full) {
			s.names = append(s.names, name)
		} else if depth > 1 {
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

// leadsInside reports whether a link is one to a folder inside, and notes those that lead outside.
func (s *scanner) leadsInside(name, full string) bool {
	target, err := filepath.EvalSymlinks(full)
	if err != nil {
		return false
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() {
		return false
	}
	if relative, err := filepath.Rel(s.root, target); err == nil && filepath.IsLocal(relative) {
		return true
	}
	if isRun(target) {
		if s.outside == nil {
			s.outside = make(map[string]string)
		}
		s.outside[name] = "it is a link that leads out of the folder of runs, and is not followed"
	}
	return false
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
