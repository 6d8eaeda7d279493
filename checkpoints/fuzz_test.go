package checkpoints

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzFollowLines follows a file while a writer appends to it, truncates it and replaces it. Each byte of steps picks
// one action with the next piece of data. The lines read since the last reset must equal the file's complete lines.
func FuzzFollowLines(f *testing.F) {
	f.Add([]byte(`{"generation":1}`+"\n"+`{"generation":2}`+"\n{\"gen"), []byte{0, 0, 1, 0, 2, 0})
	f.Add([]byte("\n\n\r\n\x00\n"), []byte{0, 2, 0, 2, 1})
	f.Add([]byte("no end"), []byte{0, 0, 0, 2})
	f.Add([]byte(strings.Repeat("a", 100)+"\n"+strings.Repeat("b", 100)+"\n"), []byte{2, 0, 2, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data, steps []byte) {
		path := filepath.Join(t.TempDir(), "lines")
		l := FollowLines(path)
		var have [][]byte
		for i, step := range steps[:min(len(steps), 8)] {
			piece := data[len(data)*i/8 : len(data)*(i+1)/8]
			whole, err := ReadLines(path)
			if err != nil {
				t.Fatal(err)
			}
			switch step % 3 {
			case 0: // a writer that is killed half way
				file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
				if err == nil {
					_, err = file.Write(piece)
					file.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
			case 1: // its successor, which removes the unfinished line
				if err := AppendLine(path, bytes.ReplaceAll(piece, []byte("\n"), []byte("|"))); err != nil {
					t.Fatal(err)
				}
			case 2: // a run that continues from an older checkpoint
				if err := WriteLines(path, whole[:len(whole)/2]); err != nil {
					t.Fatal(err)
				}
			}
			for {
				lines, reset, err := l.Poll()
				if err != nil {
					t.Fatal(err)
				}
				if reset {
					have = nil
				}
				have = append(have, lines...)
				if len(lines) == 0 {
					break
				}
			}
			if want, err := ReadLines(path); err != nil || !slices.EqualFunc(have, want, bytes.Equal) {
				t.Fatalf("after step %d the lines are %q, %v; followed were %q", i, want, err, have)
			}
		}
	})
}
