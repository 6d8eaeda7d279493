package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ludus/train/rundir"
)

// List holds the runs in a directory.
type List struct {
	Dir  string  `json:"dir"`
	Path string  `json:"path"`           // absolute path of Dir
	Runs []Entry `json:"runs"`           // sorted by name
	Note string  `json:"note,omitempty"` // why the directory cannot be read
}

// scan finds the runs in w.dir, at most two levels below it but not inside other runs, and refreshes them. Their number has
// no limit: scans are the rarer the longer they take.
func (w *Watcher) scan() *List {
	start := time.Now()
	list := &List{Dir: w.dir, Path: w.dir, Runs: []Entry{}}
	if path, err := filepath.Abs(w.dir); err == nil {
		list.Path = path
	}
	names, err := findRuns(w.dir, "", 2)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a missing folder has no runs yet: the first run creates it
		list.Note = err.Error()
	}
	if len(names) == 0 && rundir.Is(w.dir) {
		names = []string{"."}
	}
	slices.Sort(names)
	for _, name := range names {
		if w.runs[name] == nil {
			w.runs[name] = newRunReader(w.dir, name)
		}
		list.Runs = append(list.Runs, w.runs[name].refresh())
	}
	maps.DeleteFunc(w.runs, func(_ string, r *runReader) bool { return start.Sub(r.checked) > forgetAfter })
	return list
}

// findRuns returns the names of the runs in the folder dir/below, down to a number of levels. The error is about that
// folder; it leaves out subfolders that cannot be read.
func findRuns(dir, below string, levels int) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, below))
	for _, e := range entries {
		name := path.Join(below, e.Name())
		if !utf8.ValidString(name) {
			err = errors.Join(err, fmt.Errorf("%q is left out, because its name is not UTF-8; rename it", name))
			continue
		}
		link := e.Type()&fs.ModeSymlink != 0
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() && !link {
			continue
		}
		if rundir.Is(filepath.Join(dir, name)) {
			names = append(names, name)
		} else if levels > 1 {
			if _, err := Resolve(dir, name); err == nil { // no link that leads out
				deeper, _ := findRuns(dir, name, levels-1)
				names = append(names, deeper...)
			}
		}
	}
	return names, err
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
