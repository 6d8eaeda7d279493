package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which packages of this module each package may import. Tests may import more.
var arrows = map[string][]string{
	"env":                              {},
	"env/games":                        {"env"},
	"env/envtest":                      {"env"},
	"env/solver":                       {"env"},
	"mcts":                             {"env"},
	"model/infer/kernel":               {"model/infer/kernel/winograd"},
	"model/infer/kernel/generate":      {"model/infer/kernel/winograd"},
	"model/infer/kernel/winograd":      {},
	"model/infer":                      {"env", "model/infer/kernel"},
	"model/infer/infertest":            {"env", "model/infer"},
	"model/infer/onnx":                 {"env", "model/infer", "model/infer/onnx/internal/onnxpb"},
	"model/infer/onnx/internal/onnxpb": {},
	"model":                            {"env", "model/infer", "model/infer/kernel"},
	"checkpoints":                      {},
	"train/parallel":                   {},
	"train/seed":                       {},
	"train/agent":                      {"env", "env/solver", "mcts", "model/infer", "train/seed"},
	"train/stats":                      {},
	"train/match":                      {"env", "env/solver", "checkpoints", "train/agent", "train/seed", "train/stats"},
	"train/rundir":                     {"env", "model/infer", "checkpoints", "train/agent", "train/match"},
	"train":                            {"env", "env/games", "env/solver", "mcts", "model/infer", "model", "checkpoints", "train/agent", "train/match", "train/parallel", "train/ratings", "train/rundir", "train/seed", "train/suite", "train/tensorboard"},
	"train/ratings":                    {"env", "train/agent", "train/match", "train/rundir", "train/seed", "train/stats"},
	"train/tensorboard":                {},
	"train/suite":                      {"env", "env/games", "env/solver", "checkpoints", "train/agent", "train/seed", "train/stats"},
	"cmd/ludus":                        {"..."},
	"cmd/ludus/internal/...":           {"..."},
}

// quiet packages start no goroutine: what runs at the same time is for their callers to say.
var quiet = []string{"env", "env/games", "env/solver", "mcts", "model", "model/infer", "model/infer/onnx", "model/infer/kernel", "checkpoints", "train/tensorboard"}

// forTests are packages that only tests import, so that no program holds them.
var forTests = []string{"env/envtest", "model/infer/infertest"}

// source is one parsed file of the module.
type source struct {
	pkg  string // the package's path below the module
	name string
	test bool
	file *ast.File
	fset *token.FileSet
}

// imports are the paths that the file imports, by the name it uses.
func (s source) imports() map[string]string {
	named := map[string]string{}
	for _, spec := range s.file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(target)
		if name == "v2" {
			name = path.Base(path.Dir(target))
		}
		if spec.Name != nil && spec.Name.Name != "_" {
			name = spec.Name.Name
		}
		named[name] = target
	}
	return named
}

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			base := entry.Name()
			if name != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "runs") {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(name) != ".go":
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		test := strings.HasSuffix(name, "_test.go")
		all = append(all, source{filepath.ToSlash(rel), name, test, file, fset})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// matches reports whether pkg is named by pattern, which may end in "..." for everything that begins alike.
func matches(pattern, pkg string) bool {
	prefix, open := strings.CutSuffix(pattern, "...")
	return pattern == pkg || open && strings.HasPrefix(pkg, prefix)
}

// rules returns what pkg may import, and whether the table knows pkg.
func rules(pkg string) (allowed []string, known bool) {
	for pattern, allowed := range arrows {
		if matches(pattern, pkg) {
			return allowed, true
		}
	}
	return nil, false
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		allowed, known := rules(s.pkg)
		if !known {
			t.Errorf("%s: package %s is missing in the table of arrows", s.name, s.pkg)
		}
		seen[s.pkg] = true
		for _, target := range s.imports() {
			ours, isOurs := strings.CutPrefix(target, "ludus/")
			permitted := slices.ContainsFunc(allowed, func(p string) bool { return matches(p, ours) })
			if isOurs && !s.test && !permitted {
				t.Errorf("%s: %s may not import %s, only %q", s.name, s.pkg, ours, allowed)
			}
			if isOurs && !s.test && slices.Contains(forTests, ours) {
				t.Errorf("%s: %s imports %s, which only tests may", s.name, s.pkg, ours)
			}
			// The last two hold for tests as well.
			if strings.HasPrefix(target, "gorgonia.org/") && s.pkg != "model" {
				t.Errorf("%s: imports %s, which only model may", s.name, target)
			}
			if s.pkg == "mcts" && matches("model...", ours) || matches("model...", s.pkg) && ours == "mcts" {
				t.Errorf("%s: mcts and model must not know each other", s.name)
			}
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(arrows)) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(pkg string) bool { return matches(pattern, pkg) }) {
			t.Errorf("the table of arrows names %s, which does not exist", pattern)
		}
	}
}

// Packages other than the command print nothing, log nothing and do not exit; quiet ones start no goroutine; randomness
// is always handed in.
func TestLibrariesKeepTheirPlace(t *testing.T) {
	outside := map[string][]string{
		"fmt":          {"Print", "Printf", "Println"},
		"os":           {"Exit", "Stdin", "Stdout", "Stderr"},
		"math/rand/v2": {"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint32", "Uint64", "N", "Float32", "Float64", "Perm", "Shuffle", "NormFloat64", "ExpFloat64"},
	}
	for _, s := range sources(t) {
		if s.test || matches("cmd/...", s.pkg) {
			continue
		}
		named := s.imports()
		for _, target := range named {
			if slices.Contains([]string{"log", "log/slog", "math/rand"}, target) {
				t.Errorf("%s: imports %s", s.name, target)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if slices.Contains(quiet, s.pkg) {
					t.Errorf("%s: %s starts a goroutine", s.fset.Position(n.Pos()), s.pkg)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(outside[named[x.Name]], n.Sel.Name) {
					t.Errorf("%s: %s uses %s.%s", s.fset.Position(n.Pos()), s.pkg, x.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
					t.Errorf("%s: %s prints", s.fset.Position(n.Pos()), s.pkg)
				}
			}
			return true
		})
	}
}
