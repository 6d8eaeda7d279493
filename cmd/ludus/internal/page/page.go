package page

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"unicode/utf8"

	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/model/infer"
)

//go:generate go run ./generate

var (
	//go:embed engine.wasm.gz
	engine []byte
	//go:embed wasm_exec.js
	glue string
	//go:embed go.LICENSE
	licence string // of the former and of what is in the engine of Go
	//go:embed engine.js
	answering string
	//go:embed page.html
	pageHTML string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// MaxBytes is what a page should have at most, so that it can be sent by mail and opens at once. Networks of up to 64 channels
// and 5 blocks stay below it.
const MaxBytes = 3_000_000

// Page is an agent to play against.
type Page struct {
	Game    *env.Game
	Weights *infer.Weights // of Game
	Origin  string         // where the weights are from, for people
}

// Title names the page.
func (p *Page) Title() string { return "Play " + p.Game.Name }

// Agent says who plays.
func (p *Page) Agent() string {
	parameters := 0
	for _, t := range p.Weights.Tensors {
		parameters += len(t.Data)
	}
	c := p.Weights.Config
	return fmt.Sprintf("The agent is a network (channels: %d, blocks: %d, parameters: %d) from %s, with a tree search. "+
		"It runs in this page; nothing is sent or loaded.",
		c.Channels, c.Blocks, parameters, p.Origin)
}

// HTML makes the page. Whatever stands in names and texts comes out as text. Equal arguments give equal bytes. Where the page
// would be larger than [MaxBytes], its weights are rounded.
func (p *Page) HTML() ([]byte, error) {
	data, err := p.html(p.Weights)
	if err == nil && len(data) > MaxBytes {
		return p.html(rounded(p.Weights))
	}
	return data, err
}

func (p *Page) html(weights *infer.Weights) ([]byte, error) {
	script, style := static.Inline("page.js"), static.Styles("base.css", "shell.css", "board.css", "play.css")
	var b bytes.Buffer
	b.WriteString("\ufeff") // UTF-8, whatever a server says
	err := pageTemplate.Execute(&b, map[string]any{
		"Page": p,
		// A worker made from a blob has the page's policy. Nothing says connect-src, so default-src forbids that.
		"Policy": fmt.Sprintf("default-src 'none'; script-src %s 'wasm-unsafe-eval'; worker-src blob:; style-src %s; "+
			"img-src data:; base-uri 'none'; form-action 'none'",
			static.Hash(script), static.Hash(style)),
		"Script": template.JS(script), "Style": template.CSS(style),
		"Facts":   map[string]string{"game": p.Game.Name},
		"Program": template.HTML("/*\n" + licence + "*/\n" + glue + answering),
		"Engine":  inText(engine),
		"Weights": inText(compress(sorted(weights.Marshal()))),
	})
	return b.Bytes(), err
}

// rounded keeps 16 significant bits of every number, which takes a quarter off a compressed file. The error, 2^-17 of a number
// at most, is about what the arithmetic of a convolution has anyway.
func rounded(w *infer.Weights) *infer.Weights {
	w = w.Clone()
	for _, t := range w.Tensors {
		for i, v := range t.Data {
			near := math.Float32frombits((math.Float32bits(v) + 0x80) &^ 0xff)
			if !math.IsInf(float64(near), 0) {
				t.Data[i] = near
			}
		}
	}
	return w
}

// inText writes bytes as text, seven bits to a character: that takes a sixth more room than the bytes do, and base64 a
// third. Of the characters that these bits stand for, those that a browser would not leave alone are moved to behind
// all others, where their lowest seven bits are the same.
func inText(data []byte) template.HTML {
	text := make([]byte, 0, len(data)*6/5)
	held, bits := 0, 0
	add := func(character byte) {
		switch character {
		case 0, '\n', '\r', '<':
			text = utf8.AppendRune(text, 128+rune(character))
		default:
			text = append(text, character)
		}
	}
	for _, b := range data {
		held, bits = held<<8|int(b), bits+8
		for bits >= 7 {
			bits -= 7
			add(byte(held >> bits & 127))
		}
		held &= 127
	}
	if bits > 0 {
		add(byte(held << (7 - bits) & 127))
	}
	return template.HTML(text)
}

// sorted puts the first bytes of all numbers before all second ones and so on: the last ones, the signs and exponents, are
// alike and compress well. The page's script turns that round.
func sorted(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := range 4 {
		for at := i; at < len(data); at += 4 {
			out = append(out, data[at])
		}
	}
	return out
}

// compress packs data by gzip.
func compress(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		w.Write(data)
		err = w.Close()
	}
	if err != nil {
		panic("page: a buffer refuses bytes")
	}
	return b.Bytes()
}
