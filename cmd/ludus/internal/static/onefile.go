package static

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
)

// onefileHTML is the template of a page in one file.
const onefileHTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{.Policy}}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<link rel="icon" href="data:,">
<style>{{.Style}}</style>
</head>
<body>
{{template "body" .}}
<script id="data" type="application/json">{{.Data}}</script>
{{range .Scripts}}<script>{{.}}</script>
{{end}}</body>
</html>
`

// OneFile makes pages in one file, which load nothing from elsewhere.
type OneFile struct {
	template *template.Template
	style    template.CSS
	scripts  []template.JS
	policy   string // Content-Security-Policy: nothing but the page's own scripts and style, named by hash
}

// NewOneFile returns a maker of pages. body is the template of a page's content, style its style sheet. The scripts
// find their data in the element #data. It panics if the template is wrong.
func NewOneFile(body, style string, scripts ...string) *OneFile {
	o := &OneFile{template: template.Must(template.New("page").Parse(onefileHTML)), style: template.CSS(style)}
	template.Must(o.template.New("body").Parse(body))
	hashes := ""
	for _, script := range scripts {
		o.scripts = append(o.scripts, template.JS(script))
		hashes += " " + Hash(script)
	}
	o.policy = fmt.Sprintf("default-src 'none'; script-src%s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'", hashes, Hash(style))
	return o
}

// HTML returns a page with a title, further fields of its body, and data as JSON. Names and texts cannot become markup:
// the template escapes them, and JSON writes <, > and & as \u escapes.
func (o *OneFile) HTML(title string, fields map[string]string, data any) ([]byte, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = o.template.Execute(&b, map[string]any{
		"Title": title, "Fields": fields, "Policy": o.policy, "Style": o.style, "Scripts": o.scripts, "Data": template.JS(text),
	})
	return b.Bytes(), err
}
