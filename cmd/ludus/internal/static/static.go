package static

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// Files are the pages, modules and style sheets. The folders hold the work of others.
//
//go:embed *.js *.css *.html fzstd uplot
var Files embed.FS

var (
	imports = regexp.MustCompile(`(?m)^import \{[^}\n]*\} from "\./([a-z]+\.js)";\n`)
	exports = regexp.MustCompile(`(?m)^export `)
)

// Inline returns the named module and everything that it imports as one classic script, whose names are local to it. It
// panics if there is no such module.
func Inline(main string) string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		text := read(name)
		for _, found := range imports.FindAllStringSubmatch(text, -1) {
			add(found[1])
		}
		b.WriteString(exports.ReplaceAllString(imports.ReplaceAllString(text, ""), ""))
	}
	add(main)
	b.WriteString("})();\n")
	return b.String()
}

// Styles joins the named style sheets. It panics if there is no such sheet.
func Styles(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(read(name))
	}
	return b.String()
}

// UPlot returns uPlot's script with its licence, which must accompany every copy. It must precede scripts that use it.
func UPlot() string { return "/*\n" + read("uplot/LICENSE") + "*/\n" + read("uplot/uPlot.iife.min.js") }

// Fzstd returns the script of fzstd, which unpacks Zstandard, with its licence, which must accompany every copy. It must
// precede scripts that use it.
func Fzstd() string { return "/*\n" + read("fzstd/LICENSE") + "*/\n" + read("fzstd/fzstd.min.js") }

// Hash returns the term 'sha256-…' that allows an inline script or style in a Content-Security-Policy.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// read returns one of Files as text. It panics if there is no such file.
func read(name string) string {
	data, err := Files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("static: %v", err))
	}
	return string(data)
}
