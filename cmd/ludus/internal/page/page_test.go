package page

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
)

// made returns the page of a random network.
func made(t *testing.T, name, origin string, channels, blocks int) []byte {
	t.Helper()
	game := game(t, name)
	weights := infertest.RandomWeights(game, channels, blocks, 1)
	data, err := (&Page{Game: game, Weights: weights, Origin: origin}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Pages of networks of the default size, and of a large one if the board is not large too, are at most MaxBytes large and
// reproducible.
func TestSize(t *testing.T) {
	for _, name := range games.Names() {
		usual := infer.DefaultConfig(game(t, name))
		sizes := [][2]int{{usual.Channels, usual.Blocks}, {64, 5}}
		if game(t, name).Tensor.Cells() > 81 {
			sizes = sizes[:1]
		}
		for _, size := range sizes {
			data := made(t, name, "a run", size[0], size[1])
			t.Logf("%s, %d channels and %d blocks: %d bytes", name, size[0], size[1], len(data))
			if len(data) > MaxBytes {
				t.Errorf("%s, %v: %d bytes; want %d at most", name, size, len(data), MaxBytes)
			}
			if again := made(t, name, "a run", size[0], size[1]); string(again) != string(data) {
				t.Errorf("%s, %v: another page of the same network", name, size)
			}
		}
	}
}

func TestRounded(t *testing.T) {
	weights := infertest.RandomWeights(game(t, "quad-5x5"), 8, 1, 1)
	copy(weights.Tensors[0].Data, []float32{0, 1, -1, math.MaxFloat32, 1 + 1.0/(1<<11), 1 + 1.0/(1<<12), 1e-45})
	near := rounded(weights)
	for i, tensor := range weights.Tensors {
		for j, v := range tensor.Data {
			if got := near.Tensors[i].Data[j]; math.Abs(float64(got-v)) > math.Ldexp(math.Abs(float64(v)), -12) && math.Abs(float64(v)) > 1e-30 {
				t.Errorf("%v becomes %v", v, got)
			}
		}
	}
	if first := near.Tensors[0].Data; first[1] != 1 || first[3] != math.MaxFloat32 || first[4] != 1+1.0/(1<<11) || weights.Tensors[0].Data[5] == first[5] {
		t.Errorf("%v become %v", weights.Tensors[0].Data[:7], first[:7])
	}
}

// Names cannot become markup, and only the page's own scripts may run.
func TestNamesAreText(t *testing.T) {
	page := string(made(t, "quad-5x5", `</p><script>alert("x")</script>`, 4, 1))
	if strings.Contains(page, "<script>alert") || !strings.Contains(page, "&lt;script&gt;alert") {
		t.Error("the run's name is markup")
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || strings.Contains(policy[1], "unsafe-inline") || strings.Contains(policy[1], "connect-src") ||
		!strings.HasPrefix(policy[1], "default-src &#39;none&#39;;") {
		t.Errorf("the policy is %q", policy)
	}
	if len(regexp.MustCompile(`</script>`).FindAllString(page, -1)) != strings.Count(page, "<script") {
		t.Error("a block of data holds its own end")
	}
}

// The lowest seven bits of each character give the bytes again.
func TestEncodeText(t *testing.T) {
	for size := range 300 {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i*i*37 + size)
		}
		var got []byte
		held, bits := 0, 0
		for _, character := range string(encodeText(data)) {
			if strings.ContainsRune("\x00\r\n<", character) || character > 255 {
				t.Fatalf("character %q", character)
			}
			held, bits = held<<7|int(character&127), bits+7
			if bits >= 8 {
				bits -= 8
				got = append(got, byte(held>>bits))
			}
			held &= 255
		}
		if string(got) != string(data) {
			t.Fatalf("%d bytes become %d others", size, len(got))
		}
	}
}

func TestSplitPlanes(t *testing.T) {
	if got := string(splitPlanes([]byte("abcdABCD"))); got != "aAbBcCdD" {
		t.Error(got)
	}
}
