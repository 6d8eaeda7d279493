package infer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ludus/env/envtest"
	"ludus/env/games"
)

// TestMarshal writes and reads the weights of every game.
func TestMarshal(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		w := randomWeights(game, DefaultConfig(game), 1)
		w.ValueScale = 0.1
		data := w.Marshal()
		r, err := Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(game); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(data, r.Marshal()) || r.Config != w.Config || r.ValueScale != 0.1 ||
			!slices.Equal(r.Lookup("stem.conv").Data, w.Lookup("stem.conv").Data) {
			t.Errorf("%s: weights changed on their way through a file", name)
		}
	}
}

// TestFormat pins the bytes of a small file: length, header, values. The checksum replaces a value under its key.
func TestFormat(t *testing.T) {
	in := []Tensor{{"b", []int{2}, []float32{1, -2}}, {"a", []int{1, 1}, []float32{0.5}}}
	got := MarshalTensors(map[string]string{"k": "v", "sha256": "x"}, in)
	const sum = "2ce4bdb6b34a50ac7092eb9fee94337a27498e9eb9bae44192f15b88831b2422" // sha256sum of the 12 bytes of values
	head := `{"__metadata__":{"k":"v","sha256":"` + sum + `"},"a":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	head += strings.Repeat(" ", (8-len(head)%8)%8)
	want := string(binary.LittleEndian.AppendUint64(nil, uint64(len(head)))) + head + "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"
	if string(got) != want {
		t.Errorf("file %q; want %q", got, want)
	}
	metadata, tensors, err := UnmarshalTensors(got)
	if err != nil || metadata["k"] != "v" || len(metadata) != 1 || len(tensors) != 2 || tensors[0].Name != "b" || tensors[1].Data[0] != 0.5 {
		t.Errorf("read back as %v %v %v", metadata, tensors, err)
	}
	got[len(got)-1] ^= 1
	if _, _, err := UnmarshalTensors(got); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "altered") {
		t.Errorf("an altered value gives %v", err)
	}
}

// TestOrder: a file whose tensors another program has rearranged, with the same metadata, gives the same weights; one with
// an altered value does not.
func TestOrder(t *testing.T) {
	for _, name := range []string{"quad-5x5", "connect-four", "breakthrough-6x6", "free-for-all-2p"} { // with and without figures, extras, goals
		game := games.Must(name)
		for dtype, data := range map[string][]byte{
			single: randomWeights(game, DefaultConfig(game), 1).Marshal(), half: randomWeights(game, DefaultConfig(game), 1).MarshalHalf(),
		} {
			w, err := Unmarshal(data)
			if err != nil {
				t.Fatal(err)
			}
			metadata := map[string]string{}
			entries, _, err := readHeader(data)
			if err := errors.Join(err, json.Unmarshal(entries["__metadata__"], &metadata)); err != nil {
				t.Fatal(err)
			}
			rearrange := func(order func(a, b Tensor) int) []byte { // as Python's safetensors.numpy.save_file does, with the file's metadata
				sorted := slices.SortedFunc(slices.Values(w.Tensors), order)
				head := marshalTensors(nil, sorted, dtype)
				var sum struct {
					Metadata map[string]string `json:"__metadata__"`
				}
				if err := json.Unmarshal(head[8:8+binary.LittleEndian.Uint64(head)], &sum); err != nil {
					t.Fatal(err)
				}
				return bytes.Replace(marshalTensors(metadata, sorted, dtype), []byte(sum.Metadata[sumKey]), []byte(metadata[sumKey]), 1)
			}
			byName := func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) }
			for _, order := range []func(a, b Tensor) int{byName, func(a, b Tensor) int { return byName(b, a) }} {
				file := rearrange(order)
				r, err := Unmarshal(file)
				if err == nil {
					err = r.Validate(game)
				}
				if err != nil {
					t.Errorf("%s %s: %v", name, dtype, err)
				} else if !bytes.Equal(r.marshal(dtype), data) || bytes.Equal(file, data) {
					t.Errorf("%s %s: the rearranged file gives other weights", name, dtype)
				}
				file[len(file)-1] ^= 1
				if _, err := Unmarshal(file); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "altered") {
					t.Errorf("%s %s: an altered value gives %v", name, dtype, err)
				}
			}
		}
	}
}

// file puts a header before values.
func file(head string, values int) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return append(append(data, head...), make([]byte, values)...)
}

func entry(name, dtype, shape, offsets string) string {
	return `"` + name + `":{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":` + offsets + `}`
}

// badFiles are no tensors files, each with a word that its error must hold.
func badFiles() map[string][]byte {
	a, nan := entry("a", "F32", "[2]", "[0,8]"), file("{"+entry("a", "F32", "[1]", "[0,4]")+"}", 4)
	binary.LittleEndian.PutUint32(nan[len(nan)-4:], math.Float32bits(float32(math.NaN())))
	return map[string][]byte{
		"0 bytes":                nil,
		"takes 8":                {1, 2, 3},
		"not a safetensors file": {255, 255, 255, 255, 255, 255, 255, 255, '{', '}'},
		"truncated":              {3, 0, 0, 0, 0, 0, 0, 0, '{', '}'},
		"invalid":                file("{not json", 0),
		"metadata":               file(`{"__metadata__":{"a":1}}`, 0),
		"only F32 and F16":       file("{"+entry("a", "BF16", "[2]", "[0,4]")+"}", 4),
		"of shape [2] lies":      file("{"+entry("a", "F16", "[2]", "[0,8]")+"}", 8),
		"shape [-1]":             file("{"+entry("a", "F32", "[-1]", "[0,4]")+"}", 4),
		"cannot hold":            file("{"+entry("a", "F32", "[2147483647,2147483647,2147483647]", "[0,8]")+"}", 8),
		"axes":                   file("{"+entry("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]")+"}", 4),
		"lies at bytes":          file("{"+entry("a", "F32", "[2]", "[0,4]")+"}", 8),
		"[4 12]":                 file("{"+entry("a", "F32", "[2]", "[4,12]")+"}", 8),
		"starts at":              file("{"+a+","+entry("b", "F32", "[2]", "[4,12]")+"}", 12),
		"starts at byte 8; the one before ends at 0": file("{"+entry("b", "F32", "[2]", "[8,16]")+"}", 16),
		"end at byte 8": file("{"+a+"}", 12),
		"finite":        nan,
	}
}

func TestUnmarshalTensorsErrors(t *testing.T) {
	for want, data := range badFiles() {
		if _, _, err := UnmarshalTensors(data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want ErrFormat with %q", err, want)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	data := randomWeights(game, Config{Game: game.Name, Channels: 4, Blocks: 1, Pooled: true}, 1).Marshal()
	edit := func(from, to string) []byte { return bytes.Replace(data, []byte(from), []byte(to), 1) }
	for want, data := range map[string][]byte{
		"format is":      MarshalTensors(nil, nil),
		"reads version":  edit(`"version":"2"`, `"version":"1"`),
		"version is":     edit(`"version":"2"`, `"version":"x"`),
		"value_scale is": edit(`"value_scale":"0.5"`, `"value_scale":"-.5"`),
		"channels is":    edit(`"channels":"4"`, `"channels":"6"`),
		"pooled is":      edit(`"pooled":"true"`, `"pooled":"True"`),
		"blocks or":      edit(`"blocks":"1"`, `"blocks":"-"`),
		"lies at bytes":  data[:len(data)-4],
	} {
		if _, err := Unmarshal(data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want ErrFormat with %q", err, want)
		}
	}
	w, err := Unmarshal(edit(`"blocks":"1"`, `"blocks":"2"`))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Validate(game); err == nil || !strings.Contains(err.Error(), `there is no tensor "blocks.1.conv1"`) {
		t.Errorf("tensors of one block in a network of two: %v", err)
	}
	for n := 0; n < len(data); n += 1 + n/16 {
		if _, err := Unmarshal(data[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("the first %d bytes of %d are accepted: %v", n, len(data), err)
		}
	}
}

// TestOtherTensors: of a file in which a tensor lacks or has another name, the error names the tensor and says nothing of the
// values, whose SHA-256 is another's only because their order is.
func TestOtherTensors(t *testing.T) {
	for _, name := range []string{"quad-5x5", "connect-four", "free-for-all-2p"} { // with and without figures, extras, goals
		game := games.Must(name)
		w := randomWeights(game, DefaultConfig(game), 1)
		var metadata struct {
			Metadata map[string]string `json:"__metadata__"`
		}
		data := w.Marshal()
		err := json.Unmarshal(data[8:8+binary.LittleEndian.Uint64(data)], &metadata)
		if err != nil {
			t.Fatal(err)
		}
		for i, tensor := range w.Tensors {
			renamed := slices.Clone(w.Tensors)
			renamed[i].Name = "a" + tensor.Name
			for _, tensors := range [][]Tensor{renamed, slices.Delete(slices.Clone(w.Tensors), i, i+1)} {
				file := bytes.Replace(MarshalTensors(metadata.Metadata, tensors), []byte(sumOf(tensors)), []byte(metadata.Metadata[sumKey]), 1)
				r, err := Unmarshal(file)
				if err == nil {
					err = r.Validate(game)
				}
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("there is no tensor %q", tensor.Name)) {
					t.Errorf("%s without %s: error %v", name, tensor.Name, err)
				}
			}
		}
	}
}

// sumOf returns the SHA-256 of the values of tensors, in hexadecimal.
func sumOf(tensors []Tensor) string {
	var values []byte
	for _, t := range tensors {
		values = appendValues(values, t.Data, single)
	}
	return fmt.Sprintf("%x", sha256.Sum256(values))
}

func FuzzUnmarshal(f *testing.F) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	f.Add(randomWeights(game, Config{Game: game.Name, Channels: 4, Blocks: 1}, 1).Marshal())
	f.Add(randomWeights(game, Config{Game: game.Name, Channels: 4, Blocks: 1}, 1).MarshalHalf())
	for _, data := range badFiles() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Unmarshal(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("error %v does not wrap ErrFormat", err)
			}
			return
		}
		if again, err := Unmarshal(w.Marshal()); err != nil || !bytes.Equal(again.Marshal(), w.Marshal()) {
			t.Errorf("accepted weights cannot be written and read: %v", err)
		}
	})
}

func TestConfigValidate(t *testing.T) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	err := Config{Game: "other", Channels: 30, Blocks: 65}.Validate(game)
	for _, want := range []string{`"other"`, "channels is 30", "blocks is 65"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q named", err, want)
		}
	}
	if err := DefaultConfig(game).Validate(game); err != nil {
		t.Error(err)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	w := randomWeights(game, Config{Game: game.Name, Channels: 4, Blocks: 1}, 1)
	before := w.Marshal()
	clear(w.Clone().Tensors[0].Data)
	if !bytes.Equal(before, w.Marshal()) {
		t.Error("a change of a clone changed its original")
	}
	if w.Lookup("nothing") != nil {
		t.Error("found a tensor of no such name")
	}
}
