package static

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// modules are the names of all modules.
func modules(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(Files, "*.js")
	if err != nil || len(names) == 0 {
		t.Fatalf("modules %q, error %v", names, err)
	}
	return names
}

var (
	anyImport = regexp.MustCompile(`(?m)^[ \t]*import\b.*$`)
	anyExport = regexp.MustCompile(`(?m)^[ \t]*export\b.*$`)
	okExport  = regexp.MustCompile(`^export (?:async )?(?:function|const|class) (\w+)`)
	outermost = regexp.MustCompile(`(?m)^(?:export )?(?:async )?(?:function|const|let|class) (\w+)`)
	braces    = regexp.MustCompile(`\{(.*)\}`)
)

// Modules keep to the habits that let them be joined, and import only what there is.
func TestHabits(t *testing.T) {
	for _, name := range modules(t) {
		text := read(name)
		for _, line := range anyExport.FindAllString(text, -1) {
			if !okExport.MatchString(line) {
				t.Errorf("%s: %q", name, line)
			}
		}
		for _, line := range anyImport.FindAllString(text, -1) {
			found := imports.FindStringSubmatch(line + "\n")
			if found == nil {
				t.Errorf("%s: %q", name, line)
				continue
			}
			exported := map[string]bool{}
			for _, line := range anyExport.FindAllString(read(found[1]), -1) {
				exported[okExport.FindStringSubmatch(line)[1]] = true
			}
			for _, want := range strings.Split(braces.FindStringSubmatch(line)[1], ",") {
				if !exported[strings.TrimSpace(want)] {
					t.Errorf("%s imports %s, which %s does not export", name, want, found[1])
				}
			}
		}
	}
}

// Whatever is main, the joined script is one that an engine can read, in which nothing is declared twice and nothing ends
// the element that holds it.
func TestInline(t *testing.T) {
	for _, name := range modules(t) {
		script := Inline(name)
		seen := map[string]bool{}
		for _, found := range outermost.FindAllStringSubmatch(script, -1) {
			if seen[found[1]] {
				t.Errorf("%s: %s is declared twice", name, found[1])
			}
			seen[found[1]] = true
		}
		if left := anyImport.FindString(script) + anyExport.FindString(script); left != "" {
			t.Errorf("%s: %q is left", name, left)
		}
		if strings.Contains(strings.ToLower(script+UPlot()), "</script") || strings.Contains(script, "<!--") {
			t.Errorf("%s would end its element", name)
		}
		checkScript(t, name, script)
	}
}

// checkScript asks Node whether a script can be read, where Node is installed.
func checkScript(t *testing.T, name, script string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(node, "--check", path).CombinedOutput(); err != nil {
		t.Errorf("%s: %s", name, out)
	}
}

func TestInlineOrder(t *testing.T) {
	script := Inline("report.js")
	at := -1
	for _, mark := range []string{"use strict", "const byId =", "function drawChart(", "class Board", "function showGames("} {
		next := strings.Index(script, mark)
		if next <= at {
			t.Errorf("%q stands at %d, what it needs at %d", mark, next, at)
		}
		at = next
	}
}

func TestHash(t *testing.T) {
	// printf hello | openssl dgst -sha256 -binary | base64
	if got := Hash("hello"); got != "'sha256-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='" {
		t.Error(got)
	}
}

func TestUnknownPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Inline("nothing.js")
}
