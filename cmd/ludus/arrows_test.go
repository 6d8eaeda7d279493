package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// imports lists for each package the packages of this module that it imports, lowest first. Tests may import more. The
// test fails if an import is not in the table, and if the table contains an import that no longer exists.
var imports = map[string][]string{
	"env/naming":                  {},
	"env":                         {},
	"env/games":                   {"env", "env/gdl", "env/gdl/kif", "env/naming"},
	"env/envtest":                 {"env"},
	"env/gdl/kif":                 {},
	"env/gdl/interpreter":         {"env/gdl/ground", "env/gdl/kif"},
	"env/gdl/ground":              {"env/gdl/kif"},
	"env/gdl/gates":               {"env/gdl/ground"},
	"env/gdl/canonical":           {"env/gdl/kif"},
	"env/gdl/sheets":              {"env/gdl/kif"},
	"env/gdl":                     {"env", "env/gdl/gates", "env/gdl/ground", "env/gdl/kif", "env/naming"},
	"env/solver":                  {"env"},
	"mcts":                        {"env"},
	"model/infer/kernel/winograd": {},
	"model/infer/kernel/generate": {"model/infer/kernel/winograd"},
	"model/infer/kernel":          {"model/infer/kernel/winograd"},
	"model/infer":                 {"env", "model/infer/kernel"},
	"model/infer/infertest":       {"env", "model/infer"},
	"model/infer/onnx":            {"env", "model/infer", "model/protobuf"},
	"model":                       {"env", "model/infer", "model/infer/kernel"},
	"checkpoints":                 {},
	"model/protobuf":              {},
	"checkpoints/zoo":             {},
	"train/seed":                  {},
	"train/parallel":              {},
	"train/stats":                 {},
	"train/cpu":                   {},
	"train/memory":                {},
	"train/agent":                 {"env", "env/naming", "env/solver", "mcts", "model/infer", "train/parallel", "train/seed"},
	"train/agent/agenttest":       {"env", "env/games", "model/infer", "model/infer/infertest", "train/agent"},
	"train/match":                 {"checkpoints", "env", "env/solver", "train/agent", "train/memory", "train/seed", "train/stats"},
	"train/rundir":                {"checkpoints", "env", "env/games", "env/naming", "model/infer", "train/agent", "train/match", "train/stats"},
	"train/shipped":               {"checkpoints/zoo", "env", "env/games", "env/naming", "model/infer", "train/agent"},
	"train/ratings":               {"checkpoints/zoo", "env", "train/agent", "train/match", "train/rundir", "train/seed", "train/shipped", "train/stats"},
	"train/exploit":               {"env", "env/solver", "train/agent", "train/memory"},
	"train/book":                  {"checkpoints", "env", "env/games", "train/agent", "train/memory"},
	"train/suite":                 {"checkpoints", "env", "env/games", "env/naming", "env/solver", "train/agent", "train/memory", "train/seed", "train/stats"},
	"train/record":                {"checkpoints", "env", "env/games", "train/rundir"},
	"train/record/recordtest":     {"env", "train/record"},
	"train/learn":                 {"env", "model", "model/infer", "train/parallel", "train/record", "train/rundir", "train/seed"},
	"train/plan": {
		"env", "model", "model/infer", "train/cpu", "train/learn", "train/parallel", "train/record", "train/rundir", "train/seed",
		"train/selfplay",
	},
	"train/selfplay": {"env", "env/solver", "mcts", "model/infer", "train/memory", "train/parallel", "train/record", "train/rundir", "train/seed"},
	"train": {
		"checkpoints", "env", "env/games", "model", "model/infer", "train/agent", "train/learn", "train/match", "train/parallel",
		"train/plan", "train/ratings", "train/record", "train/rundir", "train/seed", "train/selfplay", "train/shipped", "train/suite",
	},
	"train/check":           {"checkpoints", "env", "model/infer", "train/record", "train/rundir"},
	"train/remote":          {"checkpoints", "env/games", "model/infer", "train/record", "train/rundir", "train/selfplay"},
	"train/doctor":          {"checkpoints", "checkpoints/zoo", "env", "env/games", "env/naming", "train/agent", "train/record", "train/rundir", "train/shipped", "train/stats"},
	"cmd/internal/diagrams": {"env"},
	"cmd/buildengine":       {"env/games"},
	"cmd/gamepages": {
		"checkpoints/zoo", "cmd/internal/diagrams", "env", "env/games", "train/agent", "train/shipped",
	},
	"cmd/ship": {
		"checkpoints", "checkpoints/zoo", "env", "env/games", "train/agent", "train/exploit", "train/match", "train/ratings",
		"train/rundir", "train/shipped", "train/suite",
	},
	"cmd/ludus/internal/analysis": {"cmd/ludus/internal/lines", "cmd/ludus/internal/notation", "env", "env/naming", "env/solver", "train/agent"},
	"cmd/ludus/internal/bench": {
		"env", "env/games", "mcts", "model", "model/infer", "model/infer/kernel", "train/agent", "train/cpu", "train/parallel",
		"train/plan", "train/rundir", "train/selfplay",
	},
	"cmd/ludus/internal/board": {
		"cmd/internal/diagrams", "cmd/ludus/internal/analysis", "cmd/ludus/internal/gamefile", "cmd/ludus/internal/notation", "env",
		"train/agent", "train/book",
	},
	"cmd/ludus/internal/browsertest": {},
	"cmd/ludus/internal/engine":      {"cmd/ludus/internal/gamefile", "cmd/ludus/internal/lines", "cmd/ludus/internal/notation", "env", "env/games", "train/agent"},
	"cmd/ludus/internal/gamefile":    {"cmd/ludus/internal/notation", "env", "env/games"},
	"cmd/ludus/internal/ggp": {
		"env", "env/games", "env/gdl", "env/gdl/canonical", "env/gdl/gates", "env/gdl/interpreter", "env/gdl/kif", "model/infer", "train", "train/agent", "train/parallel", "train/rundir", "train/stats",
	},
	"cmd/ludus/internal/lines":        {"env"},
	"cmd/ludus/internal/notation":     {"env"},
	"cmd/ludus/internal/openings":     {"cmd/internal/diagrams", "cmd/ludus/internal/board", "cmd/ludus/internal/static", "env", "train/book"},
	"cmd/ludus/internal/page":         {"cmd/ludus/internal/analysis", "cmd/ludus/internal/board", "cmd/ludus/internal/static", "env", "env/games", "model/infer", "train/agent"},
	"cmd/ludus/internal/page/engine":  {"cmd/ludus/internal/board", "env", "env/games", "model/infer", "train/agent", "train/book"},
	"cmd/ludus/internal/peers":        {},
	"cmd/ludus/internal/program":      {"cmd/ludus/internal/engine", "cmd/ludus/internal/gamefile", "cmd/ludus/internal/lines", "env", "train/agent"},
	"cmd/ludus/internal/program/fake": {"cmd/ludus/internal/engine", "cmd/ludus/internal/lines", "env", "env/games", "train/agent"},
	"cmd/ludus/internal/report": {
		"checkpoints", "checkpoints/zoo", "cmd/ludus/internal/board", "cmd/ludus/internal/static", "env",
		"train/agent", "train/doctor", "train/match", "train/record", "train/rundir", "train/shipped", "train/suite",
	},
	"cmd/ludus/internal/sheet":  {"cmd/internal/diagrams", "cmd/ludus/internal/board", "env", "env/gdl", "env/gdl/kif"},
	"cmd/ludus/internal/static": {},
	"cmd/ludus/internal/terminal": {
		"cmd/ludus/internal/analysis", "cmd/ludus/internal/lines", "cmd/ludus/internal/notation", "env", "env/naming",
		"train/agent",
	},
	"cmd/ludus/internal/watch": {"cmd/ludus/internal/report", "train/agent", "train/rundir"},
	"cmd/ludus/internal/web": {
		"checkpoints", "checkpoints/zoo", "cmd/ludus/internal/board", "cmd/ludus/internal/report", "cmd/ludus/internal/sheet",
		"cmd/ludus/internal/static", "cmd/ludus/internal/watch", "env", "env/games", "env/naming", "model/infer",
		"train/agent", "train/book", "train/doctor", "train/record", "train/rundir", "train/shipped",
	},
	"cmd/ludus": {
		"checkpoints", "checkpoints/zoo", "cmd/ludus/internal/analysis", "cmd/ludus/internal/bench", "cmd/ludus/internal/engine", "cmd/ludus/internal/gamefile", "cmd/ludus/internal/ggp",
		"cmd/ludus/internal/lines", "cmd/ludus/internal/notation", "cmd/ludus/internal/openings", "cmd/ludus/internal/page", "cmd/ludus/internal/program", "cmd/ludus/internal/report",
		"cmd/ludus/internal/sheet", "cmd/ludus/internal/static", "cmd/ludus/internal/terminal", "cmd/ludus/internal/web", "env",
		"env/games", "env/gdl", "env/naming", "env/solver", "model", "model/infer", "model/infer/kernel", "model/infer/onnx", "train",
		"train/agent", "train/book", "train/check", "train/doctor", "train/exploit", "train/match", "train/memory", "train/plan", "train/ratings",
		"train/record", "train/remote", "train/rundir", "train/selfplay", "train/shipped", "train/stats", "train/suite",
	},
}

// quiet packages start no goroutine. Their callers decide what runs concurrently.
var quiet = []string{
	"env", "env/games", "env/gdl/kif", "env/gdl/ground", "env/gdl/gates", "env/gdl/canonical", "env/gdl/interpreter", "env/gdl", "env/solver", "mcts", "model", "model/infer", "model/infer/onnx", "model/infer/kernel",
	"checkpoints", "model/protobuf", "train/record", "train/learn", "train/plan", "train/seed", "train/stats",
}

// forTests are packages that only tests and each other import, so no program contains them.
var forTests = []string{
	"env/envtest", "env/gdl/sheets", "model/infer/infertest", "train/agent/agenttest", "train/record/recordtest", "cmd/ludus/internal/browsertest", "cmd/ludus/internal/peers",
	"cmd/ludus/internal/program/fake",
}

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

// importsOf returns the packages of this module that each package imports, outside of tests.
func importsOf(all []source) map[string][]string {
	found := map[string][]string{}
	for _, s := range all {
		found[s.pkg] = append(found[s.pkg], nil...)
		for _, target := range s.imports() {
			ours, isOurs := strings.CutPrefix(target, "ludus/")
			if isOurs && !s.test && !slices.Contains(found[s.pkg], ours) {
				found[s.pkg] = append(found[s.pkg], ours)
			}
		}
		slices.Sort(found[s.pkg])
	}
	return found
}

func TestImports(t *testing.T) {
	all := sources(t)
	found := importsOf(all)
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		if want, known := imports[pkg]; !known || !slices.Equal(found[pkg], want) {
			line := strings.TrimPrefix(fmt.Sprintf("%#v", found[pkg]), "[]string")
			t.Errorf("the table of imports should have this line:\n%q: %s,", pkg, line)
		}
		for _, target := range found[pkg] {
			if slices.Contains(forTests, target) && !slices.Contains(forTests, pkg) {
				t.Errorf("%s imports %s, which only tests may", pkg, target)
			}
		}
	}
	for pkg := range imports {
		if _, exists := found[pkg]; !exists {
			t.Errorf("the table of imports has %s, which does not exist", pkg)
		}
	}
	for _, s := range all { // tests included
		for _, target := range s.imports() {
			if strings.HasPrefix(target, "gorgonia.org/") && s.pkg != "model" {
				t.Errorf("%s imports %s, which only model may", s.name, target)
			}
			if s.pkg == "mcts" && under(target, "ludus/model") || under(s.pkg, "model") && target == "ludus/mcts" {
				t.Errorf("%s: mcts and model must not import each other", s.name)
			}
		}
	}
}

// light are packages that must not contain the trainer and Gorgonia, not even through others: they show runs or play
// for them.
var light = []string{
	"train/record", "train/selfplay", "train/doctor", "train/remote", "cmd/ludus/internal/web", "cmd/ludus/internal/page/engine",
}

// TestLightPackages checks what the light packages depend on.
func TestLightPackages(t *testing.T) {
	var reach func(pkg string, path []string)
	reach = func(pkg string, path []string) {
		if path = append(path, pkg); pkg == "model" || pkg == "train" {
			t.Errorf("a light package imports %s: %s", pkg, strings.Join(path, " -> "))
			return
		}
		for _, target := range imports[pkg] {
			reach(target, path)
		}
	}
	for _, pkg := range light {
		if _, known := imports[pkg]; !known {
			t.Errorf("the package %s does not exist", pkg)
		}
		reach(pkg, nil)
	}
}

// under reports whether pkg is the package root or below it.
func under(pkg, root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

// TestArchitectureDiagram compares the arrows in docs/ARCHITECTURE.md with the table. The document has one diagram of
// the libraries and one of the packages below cmd. It leaves out an import that others imply.
func TestArchitectureDiagram(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^ +(\S+) --> (\S+)$`).FindAllSubmatch(text, -1) {
		drawn[string(match[1])+" --> "+string(match[2])] = true
	}
	reachable := map[string]map[string]bool{}
	var reach func(pkg string) map[string]bool
	reach = func(pkg string) map[string]bool {
		if reachable[pkg] == nil {
			reachable[pkg] = map[string]bool{}
			for _, target := range imports[pkg] {
				reachable[pkg][target] = true
				maps.Copy(reachable[pkg], reach(target))
			}
		}
		return reachable[pkg]
	}
	for pkg, targets := range imports {
		for _, target := range targets {
			implied := slices.ContainsFunc(targets, func(other string) bool { return reach(other)[target] })
			arrow := pkg + " --> " + target
			want := under(pkg, "cmd") == under(target, "cmd") && !implied
			if want && !drawn[arrow] {
				t.Errorf("docs/ARCHITECTURE.md lacks the arrow %s", arrow)
			}
			if !want && drawn[arrow] {
				t.Errorf("docs/ARCHITECTURE.md has the arrow %s, which others imply", arrow)
			}
			delete(drawn, arrow)
		}
	}
	for arrow := range drawn {
		t.Errorf("docs/ARCHITECTURE.md has the arrow %s, which does not exist", arrow)
	}
}

// TestLibraries checks that only the command prints, logs or exits, that quiet packages start no goroutine, and that no
// package uses the global random generator.
func TestLibraries(t *testing.T) {
	outside := map[string][]string{
		"fmt":          {"Print", "Printf", "Println"},
		"os":           {"Exit", "Stdin", "Stdout", "Stderr"},
		"math/rand/v2": {"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint32", "Uint64", "N", "Float32", "Float64", "Perm", "Shuffle", "NormFloat64", "ExpFloat64"},
	}
	for _, s := range sources(t) {
		if s.test || under(s.pkg, "cmd") {
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
				// Go of a sync.WaitGroup or an errgroup.Group
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && slices.Contains(quiet, s.pkg) {
					t.Errorf("%s: %s starts a goroutine", s.fset.Position(n.Pos()), s.pkg)
				}
			}
			return true
		})
	}
}
