package games

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ludus/env"
	"ludus/env/gdl"
	"ludus/env/gdl/kif"
)

// sheetTime bounds the time in which a game is made of a rule sheet.
const sheetTime = 60 * time.Second

// runFile is the file of a run that holds the name of its game and, for a rule sheet's game, the sheet.
const runFile = "config.json"

// maxCarrier bounds the bytes that are read of a file: a sheet in JSON and the header of a weights file have fewer.
const maxCarrier = 8 * kif.MaxBytes

// carried is the part of runFile that is read here.
type carried struct {
	Game  string `json:"game"`
	Sheet string `json:"sheet"`
}

// IsSheet reports whether a path has the extension of a rule sheet, in any case: nim.kif, NIM.KIF.
func IsSheet(path string) bool { return strings.EqualFold(filepath.Ext(path), ".kif") }

// SheetPath returns the path in a name gdl(PATH), or the name itself if it is PATH.kif; ok is false for other names.
func SheetPath(name string) (path string, ok bool) {
	name = strings.TrimSpace(name)
	if IsSheet(name) {
		return name, true
	}
	rest, ok := strings.CutPrefix(name, gdl.Family+"(")
	if !ok {
		return "", false
	}
	path, ok = strings.CutSuffix(rest, ")")
	return strings.TrimSpace(path), ok
}

// Find is [New] without reading a file. It finds the game of a rule sheet only by its Name, such as
// gdl(tic-tac-toe-41d4b05b), and only if this process has made it.
func Find(name string) (*env.Game, error) {
	if _, ok := SheetPath(name); !ok {
		return New(name)
	}
	builtMu.Lock()
	defer builtMu.Unlock()
	if g := built[strings.TrimSpace(name)]; g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("%w %q: no such rule sheet has been read; a run on it makes it known, and \"ludus games --watch SHEET\" shows a sheet", ErrName, name)
}

// Restore returns the game that a file names; sheet is the rule sheet in the file, or "". It reads no file. Errors wrap
// [ErrName].
func Restore(name, sheet string) (*env.Game, error) {
	if sheet == "" {
		return Find(env.Renamed(name))
	}
	if !gdl.IsName(name, sheet) {
		return nil, fmt.Errorf("%w %q: the rule sheet in the file is another game's", ErrName, name)
	}
	if g, err := Find(name); err == nil {
		return g, nil
	}
	return makeOnce("restored "+name, func(ctx context.Context) (*env.Game, error) { return gdl.Restore(ctx, name, sheet) })
}

// NewOfRun is [New] for the game of a run in dir. If the name is gdl(PATH) and the file is gone, the run's own sheet
// takes its place, if it came from a file of the same name. The full name of the run's game will do, too.
func NewOfRun(name, dir string) (*env.Game, error) {
	if path, ok := SheetPath(name); ok && dir != "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if c, err := readCarried(dir); err == nil && (c.Game == name || c.isOf(path)) {
				if g, err := Restore(c.Game, c.Sheet); err == nil {
					return g, nil
				}
			}
		}
	}
	return New(name)
}

// stemOf returns the name of a file without folder and extension.
func stemOf(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// newSheet returns the game of a rule sheet, which path names in one of these ways: the sheet's file (PATH.kif), the
// folder of a run on it, or a weights file of such a run. The name of a game that was made before serves as well.
func newSheet(name, path string) (*env.Game, error) {
	if g, err := Find(name); err == nil {
		return g, nil
	}
	g, err := readSheet(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; a rule sheet is named by its file, PATH.kif or gdl(PATH), or, as gdl(PATH), by the folder or a weights file of a run on it", err)
	}
	if err != nil && !errors.Is(err, ErrName) {
		err = fmt.Errorf("%w %q: %w", ErrName, name, err)
	}
	return g, err
}

// isOf reports whether the sheet came from a file of the same name as path.
func (c carried) isOf(path string) bool {
	return strings.HasPrefix(c.Game, strings.TrimSuffix(gdl.Name(stemOf(path), c.Sheet), ")"))
}

// readSheet returns the game of a rule sheet's file, of the folder of a run on one, or of a weights file.
func readSheet(path string) (*env.Game, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		c, err := readCarried(path)
		if err != nil {
			return nil, err
		}
		return Restore(c.Game, c.Sheet)
	}
	text, err := kif.ReadFile(path, maxCarrier)
	if err != nil {
		return nil, err
	}
	if c, ok := sheetOfWeights(text); ok {
		return Restore(c.Game, c.Sheet)
	}
	if slices.Contains([]string{".onnx", ".html", ".json"}, strings.ToLower(filepath.Ext(path))) {
		return nil, fmt.Errorf("%s is no rule sheet; of exports only .safetensors files name a game", path)
	}
	stem, sheet := stemOf(path), string(text)
	g, err := makeOnce(gdl.Name(stem, sheet), func(ctx context.Context) (*env.Game, error) {
		g, _, err := gdl.New(ctx, stem, sheet)
		return g, err
	})
	if err != nil {
		return nil, refusal{path, err}
	}
	return g, nil
}

// refusal is the error about a file whose sheet makes no game. It is an [ErrName], too.
type refusal struct {
	path  string
	cause error
}

func (r refusal) Error() string { return fmt.Sprintf("the sheet %s is refused: %v", r.path, r.cause) }

func (r refusal) Unwrap() error { return r.cause }

func (r refusal) Is(target error) bool { return target == ErrName }

// readCarried reads the game and the sheet of a run on a rule sheet.
func readCarried(dir string) (c carried, err error) {
	data, err := kif.ReadFile(filepath.Join(dir, runFile), maxCarrier)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(env.SkipByteOrderMark(data), &c); err != nil || c.Sheet == "" {
		return c, fmt.Errorf("%s is not the folder of a run on a rule sheet", dir)
	}
	return c, nil
}

// sheetOfWeights reads the game and the sheet from a weights file (safetensors: the length of a JSON header, the
// header, data).
func sheetOfWeights(data []byte) (carried, bool) {
	var header struct {
		Metadata carried `json:"__metadata__"`
	}
	if len(data) < 8 {
		return carried{}, false
	}
	n := binary.LittleEndian.Uint64(data)
	if n > uint64(len(data)-8) || json.Unmarshal(data[8:8+n], &header) != nil {
		return carried{}, false
	}
	return header.Metadata, header.Metadata.Sheet != ""
}

// makeOnce returns the game or the error of the first call with a key. Afterwards Find knows the game.
func makeOnce(key string, build func(ctx context.Context) (*env.Game, error)) (*env.Game, error) {
	builtMu.Lock()
	maker := makers[key]
	if maker == nil {
		maker = sync.OnceValues(func() (*env.Game, error) {
			ctx, cancel := context.WithTimeout(context.Background(), sheetTime)
			defer cancel()
			g, err := build(ctx)
			if err != nil {
				return nil, err
			}
			builtMu.Lock()
			defer builtMu.Unlock()
			if other := built[g.Name]; other != nil {
				return other, nil // made under another key
			}
			built[g.Name] = g
			return g, nil
		})
		makers[key] = maker
	}
	builtMu.Unlock()
	return maker()
}
