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
	"strings"
	"time"

	"ludus/env"
	"ludus/env/gdl"
)

// sheetTime bounds how long a rule sheet may take to become a game.
const sheetTime = 60 * time.Second

// runFile is the file of a run's folder that has the name of its game and, if it is one of a rule sheet, the sheet.
const runFile = "config.json"

// carried is the part of runFile that is read here.
type carried struct {
	Game  string `json:"game"`
	Sheet string `json:"sheet"`
}

// sheetPath returns PATH of a name like gdl(PATH), and whether the name is one.
func sheetPath(name string) (path string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(name), gdl.Family+"(")
	if !ok {
		return "", false
	}
	path, ok = strings.CutSuffix(rest, ")")
	return strings.TrimSpace(path), ok
}

// Find returns a game like [New], but reads no file: of games of rule sheets it knows those that were made before.
func Find(name string) (*env.Game, error) {
	if _, ok := sheetPath(name); !ok {
		return New(name)
	}
	builtMu.Lock()
	defer builtMu.Unlock()
	if g := built[strings.TrimSpace(name)]; g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("%w %q: no such rule sheet has been read", ErrName, name)
}

// Restore returns the game that a file names; sheet is the rule sheet that the file carries, if any. It reads no file.
// Errors wrap [ErrName].
func Restore(name, sheet string) (*env.Game, error) {
	if sheet == "" {
		return Find(name)
	}
	path, _ := sheetPath(name)
	dash := max(0, strings.LastIndexByte(path, '-'))
	stem := path[:dash]
	if gdl.Name(stem, sheet) != name {
		return nil, fmt.Errorf("%w %q: the rule sheet in the file is another game's", ErrName, name)
	}
	return ofSheet(stem, sheet)
}

// newSheet returns the game of gdl(PATH). PATH is a rule sheet, the folder of a run on one, a weights file of such a
// run, or STEM-HASH: a game made before, or that of a run in the folder "runs".
func newSheet(name, path string) (*env.Game, error) {
	if g, err := Find(name); err == nil {
		return g, nil
	}
	g, err := readSheet(path)
	if errors.Is(err, fs.ErrNotExist) {
		run := filepath.Join("runs", env.FileName(name))
		if g, errRun := readSheet(run); errRun == nil {
			return g, nil
		}
		err = fmt.Errorf("%w; a rule sheet is named by its file, gdl(PATH), or by the folder or a weights file of a run on it", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrName, name, err)
	}
	return g, nil
}

// readSheet returns the game of a rule sheet's file, of the folder of a run on one, or of a weights file.
func readSheet(path string) (*env.Game, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		data, err := os.ReadFile(filepath.Join(path, runFile))
		if err != nil {
			return nil, err
		}
		var c carried
		if err := json.Unmarshal(data, &c); err != nil || c.Sheet == "" {
			return nil, fmt.Errorf("%s is not the folder of a run on a rule sheet", path)
		}
		return Restore(c.Game, c.Sheet)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if c, ok := sheetOfWeights(text); ok {
		return Restore(c.Game, c.Sheet)
	}
	g, err := ofSheet(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// sheetOfWeights returns what a weights file (safetensors: the length of a JSON header, the header, data) carries.
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

// ofSheet returns the game of a sheet, the same one each time.
func ofSheet(stem, sheet string) (*env.Game, error) {
	name := gdl.Name(stem, sheet)
	builtMu.Lock()
	defer builtMu.Unlock()
	if g := built[name]; g != nil {
		return g, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sheetTime)
	defer cancel()
	g, _, err := gdl.New(ctx, stem, sheet)
	if err != nil {
		return nil, err
	}
	built[name] = g
	return g, nil
}
