package naming_test

import (
	"testing"

	"ludus/env/naming"
)

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"quad-5x5": "quad-5x5", "net:runs/a@4,sims=8": "net:runs/a@4,sims=8", "hex(size=9)": "'hex(size=9)'", "": "''", "it's": `'it'\''s'`, "=a": "'=a'", "a\vb": "'a\vb'",
		"ä/走": "ä/走", "x^y": "'x^y'", "tls://a:b@c:1#d": "'tls://a:b@c:1#d'",
	} {
		if got := naming.ShellWord(text); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"quad-5x5": "quad-5x5",
		"quad(size=5,quads=8,whites=0,corners=full)": "quad-size-5-quads-8-whites-0-corners-full",
		"Ab--c": "b-c",
	} {
		if got := naming.FileName(name); got != want {
			t.Errorf("FileName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"quad-7x7", "quad-5x5", "breakthrough-6x6", "random", "simulations"}
	for name, want := range map[string]string{
		"quad-5x6": "quad-5x5", "quad5x5": "quad-5x5", "quad-5x5": "quad-5x5", "breakthru-6x6": "breakthrough-6x6",
		"randon": "random", "rnadom": "random", "arndmo": "random", "simulatons": "simulations", "nonsense": "", "reason": "",
		"go": "", "": "", "quad-5x4": "quad-5x5", "quadratic": "", "chess-8x8": "",
	} {
		if got := naming.Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
