package page

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
)

//go:generate go run ../../../buildengine

var (
	//go:embed engine.wasm.zst
	engine []byte
	//go:embed engine.games
	engineGames string // patterns of the families of games that the engine knows, one per line
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

// Page is an agent to export as a page.
type Page struct {
	Game    *env.Game
	Weights *infer.Weights // of a network for Game
	Origin  string         // where the weights come from, for people
	Dial    agent.Dial     // of the network; empty if it was not measured
	Book    []byte         // file of an opening book for Game, at most MaxBook bytes; nil: none
}

// MaxBook is the size of the largest book of a page, in bytes. It takes some 15 times its size in memory.
const MaxBook = 4 << 20

// Title returns the page's title.
func (p *Page) Title() string { return "Play " + p.Game.Name }

// Agent describes the agent.
func (p *Page) Agent() string {
	c := p.Weights.Config
	return fmt.Sprintf("The agent is a network (channels: %d, blocks: %d, parameters: %s) from %s, with a tree search and an "+
		"exact search. "+
		"It runs in this page; nothing is sent or loaded.",
		c.Channels, c.Blocks, static.Grouped(p.Weights.Parameters()), p.Origin)
}

// HTML returns the page as one file. Names and texts cannot become markup. Equal pages give equal bytes. It returns an
// error if the engine was compiled before the game was added.
func (p *Page) HTML() ([]byte, error) {
	if !known(p.Game) {
		return nil, fmt.Errorf("the engine of exported pages does not know %s yet; run \"go generate ./cmd/ludus/internal/page\", "+
			"which compiles it anew, and export again", p.Game.Name)
	}
	unpacker, script, style := static.Fzstd(), static.Inline("exportpage.js"), static.Styles("base.css", "shell.css",
		"board.css", "play.css")
	opening := template.HTML("")
	if p.Book != nil {
		opening = encoded(compressed(p.Book))
	}
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
		"Engine":  encoded(engine),
		"Weights": encoded(compressed(p.Weights.Marshal())),
		"Book":    opening,
	})
	return b.Bytes(), err
}

// known reports whether the engine knows the game. It knows all games of rule sheets, which come with the weights.
func known(game *env.Game) bool {
	return game.Sheet != "" || slices.ContainsFunc(games.Families(), func(f games.Family) bool {
		return f.Name == game.Family && slices.Contains(strings.Fields(engineGames), f.Pattern())
	})
}

// encoded encodes data in base64, which is no markup.
func encoded(data []byte) template.HTML {
	return template.HTML(base64.StdEncoding.EncodeToString(data))
}

// compressed compresses data with gzip.
func compressed(data []byte) []byte {
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
