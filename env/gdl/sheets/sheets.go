package sheets

import (
	"embed"
	"strings"
)

//go:embed *.kif
var files embed.FS

// Names lists the sheets.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("sheets: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".kif"))
	}
	return names
}

// Text returns the sheet of that name; "" if there is none.
func Text(name string) string {
	text, err := files.ReadFile(name + ".kif")
	if err != nil {
		return ""
	}
	return string(text)
}
