package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The embedded engine was built from the sources at hand.
func TestEngineIsFresh(t *testing.T) {
	data, err := os.ReadFile("../engine.sum")
	if err != nil {
		t.Fatal(err)
	}
	built := strings.Split(strings.TrimSpace(string(data)), "\n")
	now, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range now {
		if !slices.Contains(built, line) {
			t.Errorf("the engine was not built from %s: run go generate ./cmd/ludus/internal/page", strings.Fields(line)[0])
		}
	}
	if len(built) != len(now)+1 { // and the program's own line
		t.Errorf("engine.sum has %d lines; want %d: run go generate ./cmd/ludus/internal/page", len(built), len(now)+1)
	}
}

func TestPackIsRepeatable(t *testing.T) {
	data := []byte(strings.Repeat("engine", 1000))
	first, err := pack(data)
	if err != nil {
		t.Fatal(err)
	}
	second, err := pack(data)
	if err != nil || string(first) != string(second) || len(first) > 200 {
		t.Errorf("%d and %d bytes, %v", len(first), len(second), err)
	}
}
