package onnx

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	pb "ludus/model/infer/onnx/internal/onnxpb"
)

func newWeights(t *testing.T, name string) (*env.Game, *infer.Weights) {
	t.Helper()
	game, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return game, infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1)))
}

func marshal(t *testing.T, game *env.Game, w *infer.Weights) *pb.ModelProto {
	t.Helper()
	data, err := Marshal(game, w, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	model := &pb.ModelProto{}
	if err := proto.Unmarshal(data, model); err != nil {
		t.Fatal(err)
	}
	return model
}

// dims returns the shape of a float32 tensor, with -1 for the batch dimension.
func dims(t *testing.T, v *pb.ValueInfoProto) (shape []int) {
	t.Helper()
	tensor := v.GetType().GetTensorType()
	if tensor.GetElemType() != int32(pb.TensorProto_FLOAT) {
		t.Errorf("%s has elements of type %d", v.GetName(), tensor.GetElemType())
	}
	for _, d := range tensor.GetShape().GetDim() {
		if d.GetDimParam() == "batch" {
			shape = append(shape, -1)
		} else {
			shape = append(shape, int(d.GetDimValue()))
		}
	}
	return shape
}

// TestModel checks versions, names and shapes for every game.
func TestModel(t *testing.T) {
	for _, name := range games.Names() {
		game, w := newWeights(t, name)
		model := marshal(t, game, w)
		sets := model.GetOpsetImport()
		if model.GetIrVersion() != 8 || len(sets) != 1 || sets[0].GetDomain() != "" || sets[0].GetVersion() != 17 {
			t.Errorf("%s: IR version %d, operator sets %v", name, model.GetIrVersion(), sets)
		}
		want := map[string][]int{
			"tensor": {-1, game.Tensor.C, game.Tensor.H, game.Tensor.W},
			"policy": {-1, game.NumActions()}, "outcome": {-1, len(game.Classes)}, "value": {-1},
		}
		if game.GoalHead {
			want["goals"] = []int{-1, 2}
		}
		ends := slices.Concat(model.Graph.GetInput(), model.Graph.GetOutput())
		if len(ends) != len(want) || len(model.Graph.GetInput()) != 1 || ends[0].GetName() != "tensor" {
			t.Errorf("%s: inputs and outputs are %v", name, ends)
		}
		for _, v := range ends {
			if !slices.Equal(dims(t, v), want[v.GetName()]) {
				t.Errorf("%s: %s has shape %v; want %v", name, v.GetName(), dims(t, v), want[v.GetName()])
			}
		}
		checkGraph(t, model.Graph)
	}
}

// checkGraph checks that every name is defined once and before its use, and that constants fill their shapes.
func checkGraph(t *testing.T, g *pb.GraphProto) {
	t.Helper()
	made := map[string]bool{}
	add := func(name string) {
		if name == "" || made[name] {
			t.Errorf("%s: the name %q is made twice", g.GetName(), name)
		}
		made[name] = true
	}
	for _, v := range g.GetInput() {
		add(v.GetName())
	}
	for _, c := range g.GetInitializer() {
		add(c.GetName())
		size := int64(4)
		if c.GetDataType() == int32(pb.TensorProto_INT64) {
			size = 8
		}
		for _, d := range c.GetDims() {
			size *= d
		}
		if int64(len(c.GetRawData())) != size {
			t.Errorf("%s: %s of shape %v has %d bytes", g.GetName(), c.GetName(), c.GetDims(), len(c.GetRawData()))
		}
	}
	for _, n := range g.GetNode() {
		for _, name := range n.GetInput() {
			if !made[name] {
				t.Errorf("%s: %s uses %s, which is not there", g.GetName(), n.GetName(), name)
			}
		}
		add(n.GetOutput()[0])
	}
	for _, v := range g.GetOutput() {
		if !made[v.GetName()] {
			t.Errorf("%s: output %s is not made", g.GetName(), v.GetName())
		}
	}
}

// constant returns the constant with that name.
func constant(t *testing.T, model *pb.ModelProto, name string) []float32 {
	t.Helper()
	for _, c := range model.Graph.GetInitializer() {
		if c.GetName() == name {
			values := make([]float32, len(c.GetRawData())/4)
			for i := range values {
				values[i] = math.Float32frombits(binary.LittleEndian.Uint32(c.GetRawData()[4*i:]))
			}
			return values
		}
	}
	t.Fatalf("the constant %s is missing", name)
	return nil
}

// TestFolding checks one weight of a convolution: the scale is folded in and the axes have ONNX's order.
func TestFolding(t *testing.T) {
	for name, suffix := range map[string]string{"breakthrough-6x6": "1", "quad-5x5": ""} {
		game, w := newWeights(t, name)
		conv := w.Lookup("blocks.1.conv" + suffix)
		in := conv.Shape[3]
		conv.Data[((2*3+1)*3+0)*in+5] = 3 // output 2, row 1, column 0, input 5
		w.Lookup("blocks.1.scale" + suffix).Data[2] = 0.5
		if got := constant(t, marshal(t, game, w), conv.Name+".weight")[((2*in+5)*3+1)*3+0]; got != 1.5 {
			t.Errorf("%s: weight %v; want 1.5", name, got)
		}
	}
}

// TestFigureMatrices checks one entry of each matrix of a figure layer in tic-tac-toe: a line has three cells, and four
// lines meet in the centre.
func TestFigureMatrices(t *testing.T) {
	game, w := newWeights(t, "tic-tac-toe")
	model := marshal(t, game, w)
	const centre, lines = 4, 8
	line := slices.IndexFunc(game.Figures, func(cells []int32) bool { return slices.Contains(cells, centre) })
	if got := constant(t, model, "figures.matrix")[centre*lines+line]; got != 1 {
		t.Errorf("the centre counts %v in its line; want 1", got)
	}
	if got, want := constant(t, model, "cells.matrix")[line*9+centre], float32(1/math.Sqrt(3*4)); got != want {
		t.Errorf("the line counts %v in its centre; want %v", got, want)
	}
}

// TestChannelsFirst checks one weight of the outcome head, whose cells ONNX flattens channels first.
func TestChannelsFirst(t *testing.T) {
	game, w := newWeights(t, "breakthrough-6x6")
	weight := w.Lookup("outcome.hidden.weight")
	cells := game.Tensor.Cells()
	in := weight.Shape[1]
	channels := in / cells
	weight.Data[3*in+20*channels+7] = 100 // output 3, cell 20, channel 7
	if got := constant(t, marshal(t, game, w), "outcome.hidden.weight")[3*in+7*cells+20]; got != 100 {
		t.Errorf("weight %v; want 100", got)
	}
	if weight.Data[3*in+20*channels+7] != 100 {
		t.Error("the caller's weights have changed")
	}
}

func TestEqualWeightsGiveEqualBytes(t *testing.T) {
	game, w := newWeights(t, "free-for-all-2p")
	a, err := Marshal(game, w, "v1")
	b, err2 := Marshal(game, w.Clone(), "v1")
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("the models differ, %v, %v", err, err2)
	}
}

// TestMarshalErrors checks that weights that are not a complete network of the game are rejected with a reason.
func TestMarshalErrors(t *testing.T) {
	_, other := newWeights(t, "quad-7x7")
	for want, spoil := range map[string]func(w *infer.Weights){
		`"quad-7x7"; the game is "quad-5x5"`: func(w *infer.Weights) { *w = *other },
		`"stem.conv" [32 3 3 9]`: func(w *infer.Weights) {
			*w = *other
			w.Config.Game = "quad-5x5"
		},
		"channels is 0":                  func(w *infer.Weights) { *w = infer.Weights{} },
		"the architecture has 34":        func(w *infer.Weights) { w.Tensors = w.Tensors[1:] },
		"blocks is -1":                   func(w *infer.Weights) { w.Config.Blocks = -1 },
		`"stem.conv" [32 3 3 6]`:         func(w *infer.Weights) { w.Tensors[0].Name = "stem" },
		`"stem.scale" [32]`:              func(w *infer.Weights) { w.Tensors[1].Shape = []int{1, 32} },
		"holds 31 values; it must be 32": func(w *infer.Weights) { w.Tensors[2].Data = w.Tensors[2].Data[1:] },
	} {
		game, w := newWeights(t, "quad-5x5")
		spoil(w)
		data, err := Marshal(game, w, "")
		if err == nil || data != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %s", err, want)
		}
	}
}
