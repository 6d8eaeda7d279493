// Generate builds the engine of exported pages with a fixed toolchain, which go downloads where it is not the one at hand,
// and writes into the folder that is named (by default the current one)
//
//	engine.wasm.gz  the engine
//	engine.sum      what it was built from and what came out, a line of text each
//	wasm_exec.js    what Go programs need of a browser, from the same toolchain
//	go.LICENSE      Go's licence, which asks to go with every copy
//
// The same sources give the same bytes on every machine.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// toolchain is what the engine is built with, wherever that is done.
const toolchain = "go1.26.8"

// engine is the package that is built.
const engine = "ludus/cmd/ludus/internal/page/engine"

// flags leave out what depends on the place of the build.
var flags = []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w"}

func main() {
	flag.Parse()
	folder := "."
	if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	if err := generate(folder); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(folder string) error {
	lines, err := sources()
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "ludus-engine")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	program := filepath.Join(temporary, "engine.wasm")
	if _, err := run(slices.Concat([]string{"build"}, flags, []string{"-o", program, engine})...); err != nil {
		return err
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	out, err := run("env", "GOROOT")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(out))
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	packed, err := pack(wasm)
	if err != nil {
		return err
	}
	sum := strings.Join(append(lines, fmt.Sprintf("engine.wasm %x", sha256.Sum256(wasm))), "\n") + "\n"
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "engine.wasm.gz"), packed, 0o666),
		os.WriteFile(filepath.Join(folder, "engine.sum"), []byte(sum), 0o666),
		os.WriteFile(filepath.Join(folder, "wasm_exec.js"), glue, 0o666),
		os.WriteFile(filepath.Join(folder, "go.LICENSE"), licence, 0o666),
	)
}

// pack compresses data; nothing in the result depends on the time, the machine or the Go that this program runs in, whose
// own gzip may change.
func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// run runs a command of the toolchain for the browser, free of what the user has set, and returns what it prints.
func run(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOFLAGS=", "GOEXPERIMENT=",
		"GODEBUG=", "GOFIPS140=off", "GOWORK=off", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}

// listed is a package of go list.
type listed struct {
	ImportPath, Dir             string
	Standard                    bool
	GoFiles, SFiles, EmbedFiles []string
	Module                      *struct {
		Path, Version string
		Main          bool
	}
}

// sources describes what the engine is built from: the toolchain, the modules of others, and the bytes of our packages.
func sources() ([]string, error) {
	out, err := list()
	if err != nil {
		return nil, err
	}
	lines := []string{toolchain + " " + strings.Join(flags, " ")}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			slices.Sort(lines[1:])
			return slices.Compact(lines), nil
		} else if err != nil {
			return nil, err
		}
		switch {
		case p.Standard:
		case !p.Module.Main:
			lines = append(lines, p.Module.Path+" "+p.Module.Version)
		default:
			sum, err := digest(p.Dir, slices.Concat(p.GoFiles, p.SFiles, p.EmbedFiles))
			if err != nil {
				return nil, err
			}
			lines = append(lines, p.ImportPath+" "+sum)
		}
	}
}

// list asks for the packages that the engine consists of. Any toolchain gives the same answer.
func list() ([]byte, error) {
	return run("list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,SFiles,EmbedFiles,Module", engine)
}

// digest is the SHA-256 of files, with their names.
func digest(dir string, names []string) (string, error) {
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
