package onnx

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
)

// variants are further games to test: an even board, changed rules, a board of two words.
var variants = []string{
	"breakthrough(columns=3,rows=5,captures=false)", "quad(size=6,quads=9,whites=2,corners=left)",
	"quad(size=11,quads=20,whites=7)", "golden-rectangle(columns=9,rows=9)", "free-for-all(size=6,steps=9,objective=score)",
}

// about is the parsed metadata of a model.
type about struct {
	Version      int `json:"metadata_version"`
	Game, Family string
	Parameters   map[string]string
	Players      []string
	Rules        string
	Board        struct {
		Rows, Columns []string
		Cells         []float32
	}
	Moves        []string
	Actions      []string
	Frames       map[string]struct{ Cells, Policy []int }
	Planes       []string
	PolicyPlanes []string `json:"policy_planes"`
	PolicyExtras []string `json:"policy_extras"`
	Outcomes     []struct {
		Name    string
		Goals   []int
		Utility float32
	}
	ValueScale      float64  `json:"value_scale"`
	SizeDependent   []string `json:"size_dependent"`
	Figures         [][]int32
	Inputs, Outputs map[string]string
}

// entries returns the metadata of a model by key.
func entries(t *testing.T, model message) map[string]json.RawMessage {
	t.Helper()
	values := map[string]json.RawMessage{}
	for _, e := range model.messages(t, modelMetadata) {
		key := e.text(entryKey)
		if values[key] != nil {
			t.Errorf("the key %s is there twice", key)
		}
		values[key] = json.RawMessage(e.text(entryValue))
	}
	return values
}

// readAbout parses a model's metadata. Every value must be JSON, and every key known.
func readAbout(t *testing.T, model message) (a about) {
	t.Helper()
	values := entries(t, model)
	whole, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(whole)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestMetadata(t *testing.T) {
	for _, name := range append(games.Names(), variants...) {
		game, w := newWeights(t, name)
		model, graph := marshal(t, game, w)
		a := readAbout(t, model)
		producer, version := model.text(modelProducer), model.text(modelProducerVersion)
		if producer != "ludus" || version != "v1.2.3" || a.Version != len(graph[graphInput]) {
			t.Errorf("%s: made by %s %s, metadata version %d", name, producer, version, a.Version)
		}
		if a.Game != game.Name || a.Family != game.Family || !slices.Equal(a.Players, game.Players[:]) || a.Rules != game.Rules {
			t.Errorf("%s: metadata tell of the game %s", name, a.Game)
		}
		for _, p := range game.Params {
			if a.Parameters[p.Name] != p.Value {
				t.Errorf("%s: parameter %s is %q", name, p.Name, a.Parameters[p.Name])
			}
		}
		if !slices.Equal(a.Moves, game.ActionNames) || !slices.Equal(a.Actions, game.ActionTexts) || !slices.Equal(append(a.PolicyPlanes, a.PolicyExtras...), game.PolicyNames) {
			t.Errorf("%s: metadata tell of other actions", name)
		}
		if len(a.Board.Rows) != game.Tensor.H || len(a.Board.Columns) != game.Tensor.W || len(a.PolicyPlanes) != game.PolicyPlanes {
			t.Errorf("%s: the board is %v", name, a.Board)
		}
		for p, player := range game.Players {
			for action, entry := range game.Frame(env.Player(p)) {
				if a.Frames[player].Policy[action] != int(entry) {
					t.Fatalf("%s: %s of %s is entry %d", name, game.ActionTexts[action], player, a.Frames[player].Policy[action])
				}
			}
		}
		for i, o := range a.Outcomes {
			c := game.Classes[i]
			if o.Name != c.Name || o.Utility != c.Utility || !game.GoalHead && !slices.Equal(o.Goals, c.Goals[:]) {
				t.Errorf("%s: outcome %d is %v", name, i, o)
			}
		}
		if a.Figures != nil && !reflect.DeepEqual(a.Figures, game.Figures) || (a.Figures != nil) != (len(a.Inputs) == 2) {
			t.Errorf("%s: inputs %v, figures %v", name, a.Inputs, a.Figures)
		}
		if a.ValueScale != w.ValueScale {
			t.Errorf("%s: value scale %v, want %v", name, a.ValueScale, w.ValueScale)
		}
		if len(a.Outcomes) != len(game.Classes) || a.Inputs[Input] == "" || len(a.Outputs) != len(graph[graphOutput]) {
			t.Errorf("%s: %d outcomes, inputs %v, outputs %v", name, len(a.Outcomes), a.Inputs, a.Outputs)
		}
	}
}

// TestSizeDependent compares the models of one pooled network for two sizes of its game: the graphs are equal but for
// the name of the game, and only the entries of the metadata that it lists differ.
func TestSizeDependent(t *testing.T) {
	for _, names := range [][2]string{
		{"hex(size=9)", "hex(size=13)"}, {"othello(size=10)", "othello-8x8"},
		{"breakthrough(columns=8,rows=7)", "breakthrough-6x6"}, {"free-for-all(size=6)", "free-for-all(size=7)"},
		{"gomoku", "line-up(width=11,height=9,line=5,gravity=0)"}, {"quad(size=9)", "quad-7x7"},
		{"golden-rectangle-9x9", "golden-rectangle"},
	} {
		var metadata [2]map[string]json.RawMessage
		var graphs [2]message
		from, _ := newWeights(t, names[0])
		w := infer.NewWeights(from, infer.Config{Game: from.Name, Channels: 8, Blocks: 1, Pooled: true}, rand.New(rand.NewPCG(1, 1)))
		for i, name := range names {
			game, _ := newWeights(t, name)
			if i > 0 {
				resized, err := w.Resize(from, game)
				if err != nil {
					t.Fatal(err)
				}
				w = resized
			}
			model, graph := marshal(t, game, w)
			metadata[i], graphs[i] = entries(t, model), graph
			delete(graph, graphName)
		}
		if !reflect.DeepEqual(graphs[0], graphs[1]) {
			t.Errorf("the graphs of %v differ", names)
		}
		var listed []string
		err := json.Unmarshal(metadata[0]["size_dependent"], &listed)
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range metadata[0] {
			if string(value) != string(metadata[1][key]) && !slices.Contains(listed, key) {
				t.Errorf("%v: %s differs; size_dependent is %s", names, key, listed)
			}
		}
	}
}

// A network without figure layers, from the time before its game listed figures, gives the model that it gave then.
func TestWithoutFigureLayers(t *testing.T) {
	game, _ := newWeights(t, "othello(size=10)") // of any size
	before := *game
	before.Figures = nil
	w := infer.NewWeights(&before, infer.DefaultConfig(&before), rand.New(rand.NewPCG(1, 1)))
	model, graph := marshal(t, game, w)
	modelBefore, graphBefore := marshal(t, &before, w)
	if !reflect.DeepEqual(graph, graphBefore) || !reflect.DeepEqual(entries(t, model), entries(t, modelBefore)) {
		t.Error("the game with figures changes the model")
	}
}

// The page about ONNX models has every key of the metadata, every input and output, and the planes of Connect Four.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "ONNX.md"))
	if err != nil {
		t.Fatal(err)
	}
	game, w := newWeights(t, "connect-four")
	model, _ := marshal(t, game, w)
	words := []string{Input, Figures, Policy, Outcome, Value, Goals, "sheet", "size_dependent"}
	for _, e := range model.messages(t, modelMetadata) {
		words = append(words, e.text(entryKey))
	}
	for _, word := range words {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("the page lacks `%s`", word)
		}
	}
	if planes := "\n    " + strings.Join(game.Planes, "\n    ") + "\n"; !strings.Contains(string(page), planes) {
		t.Errorf("the page lacks the planes of Connect Four:%s", planes)
	}
}

// TestMetadataEncode encodes positions of random games from the metadata, the board and the moves alone, and compares
// with the tensors of the game's own code.
func TestMetadataEncode(t *testing.T) {
	known := []string{"breakthrough-6x6", "quad-7x7", "quad-5x5", "golden-rectangle", "free-for-all-2p", "connect-four", "gomoku-9x9"} // to plane, below
	for _, name := range append(known, variants...) {
		game, w := newWeights(t, name)
		model, _ := marshal(t, game, w)
		a := readAbout(t, model)
		rng := rand.New(rand.NewPCG(3, 0))
		want := make([]float32, game.Tensor.Size())
		for range 20 {
			p := position{state: game.NewState()}
			for ; !p.state.Done(); p.play(game, rng) {
				p.state.Encode(want)
				if got := a.encode(&p); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: by the metadata it is %v\n%swant %v", name, got, game.Board(p.state), want)
				}
			}
		}
	}
}

// position is a position with the moves that led to it.
type position struct {
	state  env.State
	plies  int
	blocks [2]int // by player
}

// play plays a random legal move.
func (p *position) play(game *env.Game, rng *rand.Rand) {
	legal := p.state.Legal(nil)
	action := legal[rng.IntN(len(legal))]
	p.plies++
	if strings.HasPrefix(game.ActionTexts[action], "(block ") {
		p.blocks[p.state.Player()]++
	}
	p.state.Apply(action)
}

// encode fills a tensor according to the metadata's planes and frames.
func (a *about) encode(p *position) []float32 {
	var tensor []float32
	frame := a.Frames[a.Players[p.state.Player()]]
	for _, text := range a.Planes {
		plane := make([]float32, len(frame.Cells))
		value := a.plane(text, p)
		for cell, entry := range frame.Cells {
			plane[entry] = value(cell)
		}
		tensor = append(tensor, plane...)
	}
	return tensor
}

// plane returns the values of a plane by absolute cell.
func (a *about) plane(text string, p *position) func(cell int) float32 {
	pieces, mover := p.state.Pieces(nil), p.state.Player()
	is := func(kind uint8) func(int) float32 { return func(cell int) float32 { return one(pieces[cell] == kind) } }
	count := func(kind uint8) (n int) {
		for _, piece := range pieces {
			n += int(one(piece == kind))
		}
		return n
	}
	everywhere := func(number int) func(int) float32 {
		_, scale, divided := strings.Cut(text, " / ")
		divisor, err := strconv.Atoi(scale)
		if !divided || err != nil {
			divisor = 1
		}
		return func(int) float32 { return float32(number) / float32(divisor) }
	}
	parameter := func(name string) int {
		number, _ := strconv.Atoi(a.Parameters[name])
		return number
	}
	own, other := uint8(1+mover), uint8(2-mover)
	columns := len(a.Board.Columns)
	switch name, _, _ := strings.Cut(text, ":"); name {
	case "board":
		return func(cell int) float32 { return a.Board.Cells[cell] }
	case "own pieces":
		return is(own)
	case "other's pieces":
		return is(other)
	case "white pieces":
		return is(3)
	case "next free cells":
		return func(cell int) float32 { return one(pieces[cell] == 0 && (cell < columns || pieces[cell-columns] != 0)) }
	case "mover is " + a.Players[0]:
		return everywhere(int(1 - mover))
	case "own quads left":
		return everywhere(parameter("quads") - count(own))
	case "other's quads left":
		return everywhere(parameter("quads") - count(other))
	case "own whites left":
		return everywhere(parameter("whites") - p.blocks[mover])
	case "other's whites left":
		return everywhere(parameter("whites") - p.blocks[1-mover])
	case "turns left":
		return everywhere(parameter("steps") - p.plies)
	case "own captures":
		return everywhere(p.state.Goals()[mover] / 10)
	case "other's captures":
		return everywhere(p.state.Goals()[1-mover] / 10)
	default:
		panic("no plane is known by the name " + name)
	}
}

func one(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
