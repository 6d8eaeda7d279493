package web

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/watch"
)

// inside resolves the path of a request to a real path. The path is relative to the folder of runs, or begins with that
// folder as given in Options. The real path must exist and lie inside the folder, with symbolic links resolved.
func (s *Server) inside(path string) (string, error) {
	within := filepath.FromSlash(path)
	separates := func(r rune) bool { return r == '/' || r == filepath.Separator }
	for _, given := range []string{filepath.Clean(s.runs), strings.TrimRightFunc(s.runs, separates)} {
		if rest, ok := strings.CutPrefix(within, given); ok && given != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
			within = "." + rest
			break
		}
	}
	climbs := slices.Contains(strings.FieldsFunc(within, separates), "..")
	if climbs || !filepath.IsLocal(within) {
		return "", fmt.Errorf("%q is not a path within the folder of runs, %s", path, s.runs)
	}
	if _, err := os.Stat(s.runs); err != nil {
		return "", fmt.Errorf("there is no folder of runs, %s", s.runs)
	}
	real, err := watch.Resolve(s.runs, within)
	switch {
	case errors.Is(err, watch.ErrOutside):
		return "", fmt.Errorf("%q: %w", path, err)
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no %q in %s", path, s.runs)
	case err != nil:
		return "", fmt.Errorf("%q in %s cannot be read", path, s.runs)
	}
	return real, nil
}
