package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env/gdl/sheets"
	"ludus/train/doctor"
	"ludus/train/rundir"
)

// document returns a file of the repository's root.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mentions checks that a document has every word, as code.
func mentions(t *testing.T, name string, words []string) {
	t.Helper()
	text := document(t, name)
	for _, word := range words {
		if !strings.Contains(text, "`"+word+"`") {
			t.Errorf("%s does not mention `%s`", name, word)
		}
	}
}

// keys returns the JSON keys of a struct, those of its embedded structs included.
func keys(t reflect.Type) (all []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			all = append(all, keys(field.Type)...)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		all = append(all, name)
	}
	return all
}

func TestDocumentsMatchCode(t *testing.T) {
	var settings []string
	for _, s := range new(rundir.Settings).List() {
		settings = append(settings, s.Key)
	}
	settings = slices.DeleteFunc(settings, func(key string) bool { return strings.HasPrefix(key, "keep_") || key == "rating_share" })
	mentions(t, "docs/METHODS.md", settings)
	mentions(t, "docs/FILES.md", []string{"keep_newest", "keep_every"})
	for _, lines := range []any{rundir.Metrics{}, rundir.MatchResult{}, rundir.SuiteResult{}, rundir.Ratings{}, rundir.Rating{}} {
		mentions(t, "docs/FILES.md", keys(reflect.TypeOf(lines)))
	}
	for _, part := range []any{zoo.Card{}, zoo.Training{}, zoo.Network{}, zoo.SuiteError{}, zoo.MatchResult{}, zoo.Certificate{}, zoo.Floors{}, zoo.Trained{}} {
		mentions(t, "docs/FILES.md", keys(reflect.TypeOf(part)))
	}

	for _, part := range []any{doctor.Diagnosis{}, doctor.Finding{}, doctor.Curve{}, dryRunPlan{}} {
		mentions(t, "docs/FILES.md", keys(reflect.TypeOf(part)))
	}

	var variables []string
	variable := regexp.MustCompile(`\b(LUDUS|CHECKPOINTS)_[A-Z_]+\b`)
	for _, s := range sources(t) {
		text, err := os.ReadFile(s.name)
		if err != nil {
			t.Fatal(err)
		}
		variables = append(variables, variable.FindAllString(string(text), -1)...)
	}
	slices.Sort(variables)
	mentions(t, "CONTRIBUTING.md", slices.Compact(variables))
}

// docs/RULES.md shows the sheet of tic-tac-toe.
func TestDocumentedSheet(t *testing.T) {
	var shown strings.Builder
	for line := range strings.Lines(sheets.Text("tic-tac-toe")) {
		if strings.TrimSpace(line) != "" {
			shown.WriteString("    ")
		}
		shown.WriteString(line)
	}
	if !strings.Contains(document(t, "docs/RULES.md"), shown.String()) {
		t.Error("docs/RULES.md does not show the sheet of tic-tac-toe")
	}
}

// README.md maps every library package.
func TestDocumentPackages(t *testing.T) {
	var packages []string
	for name := range imports {
		if !under(name, "cmd/ludus") && !strings.Contains(name, "/internal/") {
			packages = append(packages, name)
		}
	}
	mentions(t, "README.md", packages)
}

// TestDocumentPaths checks that the files exist to which documents link or that they name with their path.
func TestDocumentPaths(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		names[i] = "docs/" + filepath.Base(names[i])
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "games", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		names = append(names, "docs/games/"+filepath.Base(page))
	}
	path := regexp.MustCompile("`([a-z_0-9-]+(?:/[a-z_0-9-]+)+\\.(?:go|proto|safetensors|s|md))`")
	link := regexp.MustCompile(`(?:\]\(|(?:src|href)=")([^):#"]+)(?:#[^)"]*)?[)"]`)
	for _, name := range append(names, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		for _, match := range link.FindAllStringSubmatch(document(t, name), -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(name), filepath.FromSlash(match[1]))); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, match[1])
			}
		}
		for _, match := range path.FindAllStringSubmatch(document(t, name), -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(match[1]))); err != nil {
				t.Errorf("%s names %s, which does not exist", name, match[1])
			}
		}
	}
}
