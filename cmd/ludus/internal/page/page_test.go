package page

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"ludus/cmd/ludus/internal/browsertest"
	"ludus/env/games"
	"ludus/model/infer"
)

// made is the page of a random network of a game.
func made(t *testing.T, name, origin string, channels, blocks int) []byte {
	t.Helper()
	game := game(t, name)
	weights := randomWeights(game, infer.Config{Game: name, Channels: channels, Blocks: blocks})
	data, err := (&Page{game, weights, origin}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Pages of networks of the sizes that training takes by default, and of those for hours of it, are small and the same each
// time.
func TestSize(t *testing.T) {
	for _, name := range games.Names() {
		usual := infer.DefaultConfig(game(t, name))
		for _, size := range [][2]int{{usual.Channels, usual.Blocks}, {64, 5}} {
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
	weights := randomWeights(game(t, "quad-5x5"), infer.Config{Game: "quad-5x5", Channels: 8, Blocks: 1})
	copy(weights.Tensors[0].Data, []float32{0, 1, -1, math.MaxFloat32, 1 + 1.0/(1<<15), 1 + 1.0/(1<<16), 1e-45})
	near := rounded(weights)
	for i, tensor := range weights.Tensors {
		for j, v := range tensor.Data {
			if got := near.Tensors[i].Data[j]; math.Abs(float64(got-v)) > math.Ldexp(math.Abs(float64(v)), -16) && math.Abs(float64(v)) > 1e-30 {
				t.Errorf("%v becomes %v", v, got)
			}
		}
	}
	if first := near.Tensors[0].Data; first[1] != 1 || first[3] != math.MaxFloat32 || first[4] != 1+1.0/(1<<15) || weights.Tensors[0].Data[5] == first[5] {
		t.Errorf("%v become %v", weights.Tensors[0].Data[:7], first[:7])
	}
}

// Names are text, whatever they hold, and nothing but the page's own scripts may run.
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

// What a browser reads of the text is the bytes again: of each character the lowest seven bits.
func TestInText(t *testing.T) {
	for size := range 300 {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i*i*37 + size)
		}
		var got []byte
		held, bits := 0, 0
		for _, character := range string(inText(data)) {
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

func TestSorted(t *testing.T) {
	if got := string(sorted([]byte("abcdABCD"))); got != "aAbBcCdD" {
		t.Error(got)
	}
}

// stored puts a page on disk; the address is its file's.
func stored(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "an agent, \"ä#%41?&.html")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return browsertest.File(t, path)
}

// opened shows a page from disk.
func opened(t *testing.T, data []byte) *browsertest.Tab {
	t.Helper()
	return browsertest.Open(t, stored(t, data))
}

// Whoever changes the players while the agent thinks, or takes a move back, need not wait for it: all is done before the same
// agent in another tab, which began earlier, has thought a first move through.
func TestThinkingEnds(t *testing.T) {
	address := stored(t, made(t, "quad-7x7", "a run", 64, 5))
	browser := browsertest.Start(t)
	other, tab := browser.Open(t, address), browser.Open(t, address)
	for _, tab := range []*browsertest.Tab{other, tab} {
		tab.Wait(`document.body.dataset.state === "ready"`)
		tab.Focus("#strength")
		tab.Press(kb.End) // thousands of simulations, which take ten seconds and more
		tab.Choose("#seat0", "agent")
		tab.Wait(`document.body.dataset.state === "thinking"`)
	}
	tab.Choose("#seat0", "person")
	tab.Wait(`document.body.dataset.state === "ready"`)
	tab.Click("#board [data-cell='24']")
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length === 2`)
	tab.Choose("#seat1", "agent")
	tab.Wait(`document.body.dataset.state === "thinking"`)
	tab.Click("#undo")
	tab.Wait(`document.body.dataset.state === "ready" && document.querySelectorAll("#moves [data-ply]").length === 1`)
	if moves := browsertest.Ask[int](other, `document.querySelectorAll("#moves [data-ply]").length`); moves > 1 {
		t.Errorf("meanwhile the agent in another tab has made %d moves", moves-1)
	}
}

// served shows a page from a server.
func served(t *testing.T, data []byte, headers map[string]string) *browsertest.Tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return browsertest.Open(t, server.URL)
}

// A page may be put on any server, even on one that is wrong about its characters or shuts it off.
func TestServed(t *testing.T) {
	tab := served(t, made(t, "quad-5x5", "a run", 4, 1), map[string]string{
		"Content-Type": "text/html; charset=iso-8859-1", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
		"Content-Security-Policy": "sandbox allow-scripts",
	})
	tab.Wait(`document.body.dataset.state === "ready"`)
	tab.Click("#board [data-cell='12']")
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length === 3`)
}

// Where a server forbids the page's script or its worker, the page says so.
func TestForbidden(t *testing.T) {
	data := made(t, "quad-5x5", "a run", 4, 1)
	for policy, want := range map[string]string{
		"script-src 'self'":                  "the server of this page forbids them",
		"worker-src 'none'":                  "The engine cannot start: a worker is not allowed here",
		"require-trusted-types-for 'script'": "the server of this page forbids them",
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			tab := served(t, data, map[string]string{"Content-Type": "text/html", "Content-Security-Policy": policy})
			tab.Wait(fmt.Sprintf("document.getElementById('play').innerText.includes(%q)", want))
			if complaints := tab.Complaints(); len(complaints) == 0 {
				t.Error("nothing was forbidden")
			}
		})
	}
}

// A browser that cannot run the engine says what it lacks.
func TestOldBrowser(t *testing.T) {
	data := made(t, "quad-5x5", "a run", 4, 1)
	old := strings.Replace(string(data), `name) => !(name in globalThis)`, `name) => name === "DecompressionStream" || !(name in globalThis)`, 1)
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	tab := opened(t, []byte(policy.ReplaceAllString(old, "")))
	tab.Wait(`!document.getElementById("unable").hidden`)
	if text := tab.Text("#unable"); !strings.Contains(text, "It lacks DecompressionStream.") {
		t.Error(text)
	}
}

// A page that was cut short says that it cannot play.
func TestDamagedPage(t *testing.T) {
	data := string(made(t, "quad-5x5", "a run", 4, 1))
	at := strings.Index(data, `<script id="engine"`)
	tab := opened(t, []byte(data[:at+300]+data[strings.Index(data, `<script id="weights"`)-20:]))
	said := func() {
		t.Helper()
		tab.Wait(`document.body.dataset.state === "error"`)
		if text := tab.Text("#message"); !strings.Contains(text, "The engine cannot start") {
			t.Error(text)
		}
	}
	said()
	tab.Click("#retry")
	said()
}
