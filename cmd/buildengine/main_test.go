package main

import (
	"strings"
	"testing"
)

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
