package page

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"math"
	"unicode/utf8"

	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/agent"
)

//go:generate go run ../../../buildengine

var (
	//go:embed engine.wasm.zst
	engine []byte
	//go:embed wasm_exec.js
	glue string
	//go:embed go.LICENSE
	licence string // Go's, for glue and engine
	//go:embed engine.js
	workerScript string
	//go:embed page.html
	pageHTML string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// MaxBytes is the size that a page should not exceed: it can then be sent by mail and opens at once. Pages of networks
// with up to 64 channels and 5 blocks on boards of up to 81 cells are smaller.
const MaxBytes = 3_300_000

// Page is an agent to export.
type Page struct {
	Game    *env.Game
	Weights *infer.Weights // of a network for Game
	Origin  string         // where the weights come from, for people
	Dial    agent.Dial     // of the network; empty if it was not measured
}

// Title returns the page's title.
func (p *Page) Title() string { return "Play " + p.Game.Name }

// Agent describes the agent.
func (p *Page) Agent() string {
	c := p.Weights.Config
	return fmt.Sprintf("The agent is a network (channels: %d, blocks: %d, parameters: %s) from %s, with a tree search and an exact search. "+
		"It runs in this page; nothing is sent or loaded.",
		c.Channels, c.Blocks, static.Grouped(p.Weights.Parameters()), p.Origin)
}

// HTML returns the page as one file. Names and texts cannot become markup. Equal pages give equal bytes. If the file
// would exceed [MaxBytes], the weights are rounded to 12 significant bits.
func (p *Page) HTML() ([]byte, error) {
	data, err := p.html(p.Weights)
	if err == nil && len(data) > MaxBytes {
		return p.html(rounded(p.Weights))
	}
	return data, err
}

func (p *Page) html(weights *infer.Weights) ([]byte, error) {
	unpacker, script, style := static.Fzstd(), static.Inline("exportpage.js"), static.Styles("base.css", "shell.css", "board.css", "play.css")
	var b bytes.Buffer
	b.WriteString("\ufeff") // marks UTF-8, even if a server declares another encoding
	err := pageTemplate.Execute(&b, map[string]any{
		"Page": p,
		// A worker made from a blob inherits the policy. Without connect-src, default-src forbids all requests.
		"Policy": fmt.Sprintf("default-src 'none'; script-src %s %s 'wasm-unsafe-eval'; worker-src blob:; style-src %s; "+
			"img-src data:; base-uri 'none'; form-action 'none'",
			static.Hash(unpacker), static.Hash(script), static.Hash(style)),
		"Unpacker": template.JS(unpacker), "Script": template.JS(script), "Style": template.CSS(style),
		"Facts":   map[string]any{"game": p.Game.Name, "dial": p.Dial},
		"Program": template.HTML("/*\n" + licence + "*/\n" + glue + workerScript),
		"Engine":  encodeText(engine),
		"Weights": encodeText(compress(splitPlanes(weights.Marshal()))),
	})
	return b.Bytes(), err
}

// rounded returns a copy of w with every weight rounded to 12 significant bits, one more than half precision has: the
// relative error is at most 2^-12. That shrinks the compressed file by more than a third.
func rounded(w *infer.Weights) *infer.Weights {
	w = w.Clone()
	for _, t := range w.Tensors {
		for i, v := range t.Data {
			near := math.Float32frombits((math.Float32bits(v) + 0x800) &^ 0xfff)
			if !math.IsInf(float64(near), 0) {
				t.Data[i] = near
			}
		}
	}
	return w
}

// encodeText writes bytes as text with seven bits per character. It adds about 18 % to the size; base64 adds 33 %. HTML
// parsers change or interpret NUL, line breaks and <; 128 is added to those, which leaves the lowest seven bits.
func encodeText(data []byte) template.HTML {
	text := make([]byte, 0, len(data)*6/5)
	buffer, bits := 0, 0
	add := func(character byte) {
		switch character {
		case 0, '\n', '\r', '<':
			text = utf8.AppendRune(text, 128+rune(character))
		default:
			text = append(text, character)
		}
	}
	for _, b := range data {
		buffer, bits = buffer<<8|int(b), bits+8
		for bits >= 7 {
			bits -= 7
			add(byte(buffer >> bits & 127))
		}
		buffer &= 127
	}
	if bits > 0 {
		add(byte(buffer << (7 - bits) & 127))
	}
	return template.HTML(text)
}

// splitPlanes reorders 4-byte numbers: all first bytes, then all second bytes and so on. The last bytes, with signs and
// exponents, are similar and compress well. worker.js reverses it.
func splitPlanes(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := range 4 {
		for at := i; at < len(data); at += 4 {
			out = append(out, data[at])
		}
	}
	return out
}

// compress compresses data with gzip.
func compress(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		panic("page: gzip failed: " + err.Error())
	}
	return b.Bytes()
}
