package ggp

import (
	"strings"
	"testing"
)

// TestEncoding refuses messages that are not UTF-8, wherever the byte stands, and skips a byte order mark.
func TestEncoding(t *testing.T) {
	for text, want := range map[string]string{
		"(START m x ((role x) (role \xe4)) 10 5)": "line 1, column 28: the byte 0xe4 is not UTF-8",
		"(PLAY m\n (\xff))":                       "line 2, column 3: the byte 0xff is not UTF-8",
		"(STOP m\xfc nil)":                        "line 1, column 8: the byte 0xfc is not UTF-8",
		"(ABORT m\u00a0)":                         "line 1, column 9: the character U+00A0 (no-break space)",
		"\ufeff(INFO)":                            "",
	} {
		_, err := parse(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
