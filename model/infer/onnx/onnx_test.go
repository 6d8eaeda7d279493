package onnx

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	pb "ludus/model/protobuf"
)

func newWeights(t *testing.T, name string) (*env.Game, *infer.Weights) {
	t.Helper()
	game := games.Must(name)
	return game, infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1)))
}

// message is a decoded message: the elements of each field, integers as varints.
type message map[pb.Field][][]byte

// parse decodes a message that has integers and length-delimited fields only.
func parse(t *testing.T, data []byte) message {
	t.Helper()
	m := message{}
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeField(data)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		value := data[protowire.SizeTag(field):n]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		m[field], data = append(m[field], value), data[n:]
	}
	return m
}

// text is the last element of a field of text.
func (m message) text(field pb.Field) string {
	if list := m[field]; len(list) > 0 {
		return string(list[len(list)-1])
	}
	return ""
}

// integers are the elements of a field of integers.
func (m message) integers(field pb.Field) (list []int) {
	for _, v := range m[field] {
		n, _ := protowire.ConsumeVarint(v)
		list = append(list, int(n))
	}
	return list
}

// messages are the elements of a field of messages.
func (m message) messages(t *testing.T, field pb.Field) (list []message) {
	for _, v := range m[field] {
		list = append(list, parse(t, v))
	}
	return list
}

// marshal returns a model and its graph.
func marshal(t *testing.T, game *env.Game, w *infer.Weights) (model, graph message) {
	t.Helper()
	data, err := Marshal(game, w, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	model = parse(t, data)
	return model, model.messages(t, modelGraph)[0]
}

// names are the named dimensions, which may have any size.
var names = map[string]int{"batch": -1, "rows": -2, "columns": -3, "actions": -4, "cells": -5, "figures": -6}

// dims returns the shape of a float32 input or output, with the negative numbers of names for dimensions of any size.
func dims(t *testing.T, value message) (list []int) {
	t.Helper()
	tensor := value.messages(t, valueType)[0].messages(t, typeTensor)[0]
	if got := tensor.integers(tensorTypeElement); !slices.Equal(got, []int{elementFloat}) {
		t.Errorf("%s has elements of type %d", value.text(valueName), got)
	}
	for _, d := range tensor.messages(t, tensorTypeShape)[0].messages(t, shapeDim) {
		if name := d.text(dimParam); name != "" {
			list = append(list, names[name])
		}
		list = append(list, d.integers(dimValue)...)
	}
	return list
}

// TestModel checks versions, names and shapes for every game.
func TestModel(t *testing.T) {
	for _, name := range append(games.Names(), "othello(size=10)", "quad(size=9)") {
		game, w := newWeights(t, name)
		model, graph := marshal(t, game, w)
		sets := model.messages(t, modelOpset)
		if !slices.Equal(model.integers(modelIRVersion), []int{8}) || len(sets) != 1 || sets[0].text(opsetDomain) != "" ||
			!slices.Equal(sets[0].integers(opsetVersion), []int{17}) {
			t.Errorf("%s: IR version %d, operator sets %v", name, model.integers(modelIRVersion), sets)
		}
		want := map[string][]int{
			"tensor": {-1, game.Tensor.C, game.Tensor.H, game.Tensor.W},
			"policy": {-1, game.NumActions()}, "outcome": {-1, len(game.Classes)}, "value": {-1},
		}
		if anySize(game, w) {
			want["tensor"], want["policy"] = []int{-1, game.Tensor.C, -2, -3}, []int{-1, -4}
			if game.Figures != nil {
				want["figures"] = []int{-5, -6}
			}
		}
		if game.GoalHead {
			want["goals"] = []int{-1, 2}
		}
		inputs := graph.messages(t, graphInput)
		ends := append(inputs, graph.messages(t, graphOutput)...)
		if len(ends) != len(want) || len(inputs) != 1 && want["figures"] == nil || inputs[0].text(valueName) != "tensor" {
			t.Errorf("%s: inputs and outputs are %v", name, ends)
		}
		for _, v := range ends {
			if got, want := dims(t, v), want[v.text(valueName)]; !slices.Equal(got, want) {
				t.Errorf("%s: %s has shape %v; want %v", name, v.text(valueName), got, want)
			}
		}
		checkGraph(t, graph)
	}
}

// checkGraph checks that every name is defined once and before its use, and that constants fill their shapes.
func checkGraph(t *testing.T, graph message) {
	t.Helper()
	game, made := graph.text(graphName), map[string]bool{}
	add := func(name string) {
		if name == "" || made[name] {
			t.Errorf("%s: the name %q is made twice", game, name)
		}
		made[name] = true
	}
	for _, v := range graph.messages(t, graphInput) {
		add(v.text(valueName))
	}
	for _, c := range graph.messages(t, graphInitializer) {
		add(c.text(tensorName))
		size := 4
		if slices.Equal(c.integers(tensorElement), []int{elementInt64}) {
			size = 8
		}
		for _, d := range c.integers(tensorDims) {
			size *= d
		}
		if raw := c.text(tensorRawData); len(raw) != size {
			t.Errorf("%s: %s of shape %v has %d bytes", game, c.text(tensorName), c.integers(tensorDims), len(raw))
		}
	}
	for _, n := range graph.messages(t, graphNode) {
		for _, name := range n[nodeInput] {
			if !made[string(name)] {
				t.Errorf("%s: %s uses %s, which is not there", game, n.text(nodeName), name)
			}
		}
		add(n.text(nodeOutput))
	}
	for _, v := range graph.messages(t, graphOutput) {
		if name := v.text(valueName); !made[name] {
			t.Errorf("%s: output %s is not made", game, name)
		}
	}
}

// constant returns the constant with that name in the model of a network.
func constant(t *testing.T, game *env.Game, w *infer.Weights, name string) []float32 {
	t.Helper()
	_, graph := marshal(t, game, w)
	for _, c := range graph.messages(t, graphInitializer) {
		if c.text(tensorName) == name {
			raw := c[tensorRawData][0]
			values := make([]float32, len(raw)/4)
			if _, err := binary.Decode(raw, binary.LittleEndian, values); err != nil {
				t.Fatal(err)
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
		if got := constant(t, game, w, conv.Name+".weight")[((2*in+5)*3+1)*3+0]; got != 1.5 {
			t.Errorf("%s: weight %v; want 1.5", name, got)
		}
	}
}

// TestFigures checks one entry of the matrix of figure layers in tic-tac-toe.
func TestFigures(t *testing.T) {
	game, w := newWeights(t, "tic-tac-toe")
	const centre, lines = 4, 8
	matrix := constant(t, game, w, Figures)
	for i, figure := range game.Figures {
		if got := matrix[centre*lines+i] == 1; got != slices.Contains(figure, centre) {
			t.Errorf("the centre is in line %d: %t", i, got)
		}
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
	if got := constant(t, game, w, "outcome.hidden.weight")[3*in+7*cells+20]; got != 100 {
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
		`"stem.conv" has the shape [32 3 3 9]`: func(w *infer.Weights) {
			*w = *other
			w.Config.Game = "quad-5x5"
		},
		"channels is 0":                     func(w *infer.Weights) { *w = infer.Weights{} },
		`there is no tensor "stem.conv"`:    func(w *infer.Weights) { w.Tensors = w.Tensors[1:] },
		"blocks is -1":                      func(w *infer.Weights) { w.Config.Blocks = -1 },
		`a tensor "stem", which a`:          func(w *infer.Weights) { w.Tensors = append(w.Tensors, infer.Tensor{Name: "stem"}) },
		`"stem.scale" has the shape [1 32]`: func(w *infer.Weights) { w.Tensors[1].Shape = []int{1, 32} },
		"holds 31 values; it must be 32":    func(w *infer.Weights) { w.Tensors[2].Data = w.Tensors[2].Data[1:] },
	} {
		game, w := newWeights(t, "quad-5x5")
		spoil(w)
		data, err := Marshal(game, w, "")
		if err == nil || data != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %s", err, want)
		}
	}
}
