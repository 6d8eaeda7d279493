package checkpoints

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func newStore(t *testing.T, ids ...int) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run", "checkpoints")
	s := NewStore(dir)
	for _, id := range ids {
		if err := s.Save(id, map[string]any{"game": "quad-5x5", "generation": id}, partsFor(id)); err != nil {
			t.Fatal(err)
		}
	}
	return s, dir
}

func TestSaveLoad(t *testing.T) {
	s, dir := newStore(t, 3, 12)
	c, err := s.Load(12)
	if err != nil {
		t.Fatal(err)
	}
	if c.ID != 12 || !strings.Contains(string(c.Meta), `"quad-5x5"`) {
		t.Errorf("checkpoint %d, meta %s", c.ID, c.Meta)
	}
	if got := string(c.Part("weights")); got != "weights of 12" {
		t.Errorf("weights are %q", got)
	}
	if c.Part("nothing") != nil {
		t.Error("a part that nobody saved")
	}
	if ids, err := s.List(); err != nil || !slices.Equal(ids, []int{3, 12}) {
		t.Errorf("list: %v, %v", ids, err)
	}
	for _, name := range []string{"weights", "optimizer", "empty", "manifest.json"} {
		if _, err := os.Stat(filepath.Join(dir, "000012", name)); err != nil {
			t.Error(err)
		}
	}
}

func TestSaveIsDeterministic(t *testing.T) {
	_, a := newStore(t, 1)
	_, b := newStore(t, 1)
	first, err := os.ReadFile(filepath.Join(a, "000001", manifestName))
	if err != nil {
		t.Fatal(err)
	}
	second, _ := os.ReadFile(filepath.Join(b, "000001", manifestName))
	if !bytes.Equal(first, second) {
		t.Errorf("%s\n%s", first, second)
	}
}

func TestEmptyStore(t *testing.T) {
	s, dir := newStore(t)
	if _, _, err := s.Newest(); !errors.Is(err, ErrNoCheckpoint) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Newest: %v", err)
	}
	if _, err := s.Load(1); !errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("Load: %v", err)
	}
	if ids, err := s.List(); len(ids) > 0 || err != nil {
		t.Errorf("List: %v, %v", ids, err)
	}
	if err := s.Prune(5, 10); err != nil {
		t.Errorf("Prune: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made %s", dir)
	}
}

func TestStoreRefusesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := NewStore(path).List(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if err := NewStore(filepath.Join(path, "checkpoints")).Save(1, nil, nil); err == nil {
		t.Error("saved below a file")
	}
}

func TestSaveRefusesWhole(t *testing.T) {
	s, _ := newStore(t, 4)
	err := s.Save(4, nil, nil)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "000004") {
		t.Errorf("error %v", err)
	}
	if c, err := s.Load(4); err != nil || string(c.Part("weights")) != "weights of 4" {
		t.Errorf("afterwards: %v", err)
	}
}

func TestSaveRefusesMeta(t *testing.T) {
	s, dir := newStore(t)
	if err := s.Save(1, func() {}, nil); err == nil {
		t.Error("a function became JSON")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written nevertheless")
	}
}

func TestCallersBugsPanic(t *testing.T) {
	s, _ := newStore(t)
	named := func(names ...string) func() {
		return func() {
			parts := make([]Part, len(names))
			for i, name := range names {
				parts[i].Name = name
			}
			s.Save(1, nil, parts)
		}
	}
	for name, bug := range map[string]func(){
		"negative id": func() { s.Save(-1, nil, nil) },
		"no name":     named(""),
		"path":        named("a/b"),
		"backslash":   named(`a\b`),
		"parent":      named(".."),
		"hidden":      named(".a"),
		"manifest":    named("manifest.json"),
		"twice":       named("a", "b", "a"),
		"prune all":   func() { s.Prune(0, 10) },
		"line end":    func() { AppendLine("x", []byte("a\nb")) },
		"version":     func() { Seal("games", -1, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "checkpoints: ") {
					t.Errorf("panic %q", text)
				}
			}()
			bug()
		})
	}
}

// Each altered byte and each truncation of each file is detected and reported with that file's name, and Newest falls
// back.
func TestDamageIsNamed(t *testing.T) {
	s, dir := newStore(t, 1, 2)
	for _, name := range []string{"weights", "optimizer", "empty", "manifest.json"} {
		path := filepath.Join(dir, "000002", name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, data []byte) {
			t.Helper()
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := s.Load(2)
			if !errors.Is(err, ErrDamaged) || !strings.HasPrefix(err.Error(), path+": damaged: ") {
				t.Errorf("%s, %s: error %v", name, what, err)
			}
			c, warnings, err := s.Newest()
			if err != nil || c.ID != 1 || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), path) {
				t.Errorf("%s, %s: Newest %v, %v, %v", name, what, c, warnings, err)
			}
		}
		for i := range whole {
			altered := bytes.Clone(whole)
			altered[i] ^= 1 << (i % 8)
			try(fmt.Sprintf("byte %d altered", i), altered)
			try(fmt.Sprintf("cut at %d", i), whole[:i])
		}
		try("longer", append(bytes.Clone(whole), 0))
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(2); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path+": damaged: the file is missing") {
			t.Errorf("%s missing: error %v", name, err)
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		if c, warnings, err := s.Newest(); err != nil || c.ID != 2 || len(warnings) > 0 {
			t.Fatalf("restored: %v, %v, %v", c, warnings, err)
		}
	}
}

func TestForeignDirectories(t *testing.T) {
	s, dir := newStore(t, 1, 5)
	if err := os.Rename(filepath.Join(dir, "000001"), filepath.Join(dir, "000006")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "000007"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000008.new", "000004.old", "notes", "12", "-00001", "0000012"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := s.List(); err != nil || !slices.Equal(ids, []int{5, 6, 7}) {
		t.Errorf("list: %v, %v", ids, err)
	}
	c, warnings, err := s.Newest()
	if err != nil || c.ID != 5 || len(warnings) != 2 {
		t.Fatalf("%v, %v, %v", c, warnings, err)
	}
	for i, want := range []string{"it is a file", "it belongs to checkpoint 1, not 6"} {
		if !strings.Contains(warnings[i].Error(), want) {
			t.Errorf("warning %q does not say %q", warnings[i], want)
		}
	}
	for _, id := range []int{6, 7} {
		if err := s.Save(id, nil, partsFor(id)); err != nil {
			t.Errorf("instead of a foreign one: %v", err)
		}
	}
	for name, want := range map[string]bool{"000008.new": false, "000004.old": false, "notes": true, "12": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s after Save: %v", name, err)
		}
	}
}

func TestAllDamaged(t *testing.T) {
	s, dir := newStore(t, 1, 2)
	for _, id := range []string{"000001", "000002"} {
		if err := os.Truncate(filepath.Join(dir, id, "weights"), 3); err != nil {
			t.Fatal(err)
		}
	}
	_, warnings, err := s.Newest()
	if !errors.Is(err, ErrNoCheckpoint) || len(warnings) != 2 || !strings.Contains(warnings[0].Error(), "000002") {
		t.Errorf("%v, %v", warnings, err)
	}
}

// sealedManifest returns a manifest of any format with a valid seal.
func sealedManifest(body string) []byte {
	return []byte(body + sealHead + hexSum([]byte(body)) + sealTail)
}

func TestNewerFormat(t *testing.T) {
	s, dir := newStore(t, 1, 2)
	path := filepath.Join(dir, "000002", manifestName)
	if err := os.WriteFile(path, sealedManifest("{\n  \"format\": 2,\n  \"parts\": {},\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := s.Load(2)
	if !errors.Is(err, ErrVersion) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("Load: %v", err)
	}
	if _, _, err := s.Newest(); !errors.Is(err, ErrVersion) {
		t.Errorf("Newest: %v", err)
	}
	if err := s.Save(2, nil, nil); !errors.Is(err, ErrVersion) {
		t.Errorf("Save: %v", err)
	}
}

func TestPrune(t *testing.T) {
	s, _ := newStore(t, 0, 1, 2, 3, 9, 10, 11, 20, 21, 22, 23, 24, 25)
	for _, test := range []struct {
		newest, every int
		want          []int
	}{
		{100, 0, []int{0, 1, 2, 3, 9, 10, 11, 20, 21, 22, 23, 24, 25}},
		{5, 10, []int{0, 10, 20, 21, 22, 23, 24, 25}},
		{5, 10, []int{0, 10, 20, 21, 22, 23, 24, 25}},
		{1, 20, []int{0, 20, 25}},
		{1, 0, []int{25}},
	} {
		if err := s.Prune(test.newest, test.every); err != nil {
			t.Fatal(err)
		}
		if ids, err := s.List(); err != nil || !slices.Equal(ids, test.want) {
			t.Errorf("Prune(%d, %d) leaves %v, %v", test.newest, test.every, ids, err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	s, dir := newStore(t, 1)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o777)
	for name, err := range map[string]error{
		"Save":      s.Save(2, nil, nil),
		"WriteFile": WriteFile(filepath.Join(dir, "file"), nil),
	} {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, _, err := s.Newest(); err != nil || c.ID != 1 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "", "second"} {
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "directory"), nil); err == nil {
		t.Error("a directory was overwritten")
	}
	if err := WriteFile(filepath.Join(dir, "nowhere", "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
	t.Chdir(dir)
	if err := WriteFile("relative", []byte("here")); err != nil {
		t.Error(err)
	}
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		if err := MkdirAll(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Error(err)
	}
	file := filepath.Join(dir, "file")
	if err := WriteFile(file, nil); err != nil {
		t.Fatal(err)
	}
	if MkdirAll(file) == nil || MkdirAll(filepath.Join(file, "a")) == nil {
		t.Error("a directory where a file is")
	}
}

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	if lines, err := ReadLines(path); err != nil || lines != nil {
		t.Fatalf("missing file: %q, %v", lines, err)
	}
	for _, line := range []string{"one", "", "three"} {
		if err := AppendLine(path, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("torn")
	f.Close()
	lines, err := ReadLines(path)
	if err != nil || !slices.Equal(strings.Fields(fmt.Sprintf("%s", lines)), []string{"[one", "three]"}) || len(lines) != 3 {
		t.Fatalf("lines %q, %v", lines, err)
	}
	if err := AppendLine(path, []byte("four")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "one\n\nthree\nfour\n" {
		t.Errorf("after the torn line: %q", got)
	}
	if err := WriteLines(path, lines[:1]); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "one\n" {
		t.Errorf("rewritten: %q", got)
	}
}

func FuzzParseManifest(f *testing.F) {
	whole, err := marshalManifest(7, map[string]int{"a": 1}, partsFor(7))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(whole), false)
	f.Add(string(whole[:len(whole)-sealSize]), true)
	f.Add("{\n  \"format\": 2,\n", true)
	f.Add("{\n  \"format\": 1,\n  \"parts\": [{\"name\": \"../a\"}],\n", true)
	f.Add("", false)
	f.Fuzz(func(t *testing.T, text string, seal bool) {
		data := []byte(text)
		if seal {
			data = sealedManifest(text)
		}
		m, err := parseManifest(data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, part := range m.Parts {
			if filepath.Base(part.Name) != part.Name || !filepath.IsLocal(part.Name) {
				t.Errorf("part %q leaves the directory", part.Name)
			}
		}
	})
}
