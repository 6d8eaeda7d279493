package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ludus/cmd/ludus/internal/page"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer/infertest"
)

// exported is the exported page of a random network.
func exported(t *testing.T, name string, channels, blocks int) []byte {
	t.Helper()
	return exportedWithBook(t, games.Must(name), channels, blocks, nil)
}

func exportedWithBook(t *testing.T, game *env.Game, channels, blocks int, book []byte) []byte {
	t.Helper()
	data, err := (&page.Page{Game: game, Weights: infertest.RandomWeights(game, channels, blocks, 1), Origin: "a run", Book: book}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// People play on an exported page, opened from disk. It has the scripts of the server's page, and its engine plays each
// game as the server does (see package page), so one game is enough.
func TestPlayOnPage(t *testing.T) {
	b := Start(t)
	address := func(t *testing.T, game string) string { return onDisk(t, exported(t, game, 8, 1)) }
	front := Front{Name: "page", Games: []string{sixes}, Address: address}
	front.Test(t, b)
}

// A change of the players or an undo stops the agent's search at once, by ending its worker.
func TestSearchIsStopped(t *testing.T) {
	tab := Start(t).Open(t, onDisk(t, exported(t, "quad-7x7", 64, 5)))
	tab.Wait(`document.body.dataset.state === "ready"`)
	Eval[bool](tab, `(() => {
		const { terminate, postMessage } = Worker.prototype;
		globalThis.ended = 0;
		globalThis.running = ""; // operation of the request that the worker handles
		Worker.prototype.postMessage = function (message) { globalThis.running = message.op; postMessage.call(this, message); };
		Worker.prototype.terminate = function () { ended++; terminate.call(this); };
		return true;
	})()`)
	tab.Focus("#strength1")
	tab.Press(kb.End) // thousands of simulations, which take several seconds
	tab.Choose("#seat0", "agent")
	tab.Wait(`document.body.dataset.state === "thinking" && running === "choose"`) // other requests may come before
	tab.Choose("#seat0", "person")
	tab.Wait(`document.body.dataset.state === "ready" && ended === 1`)
	tab.Click("#board [data-cell='24']")
	tab.Wait(`running === "choose" && document.querySelectorAll("#moves [data-ply]").length === 2`)
	tab.Click("#undo")
	tab.Wait(`document.body.dataset.state === "ready" && document.querySelectorAll("#moves [data-ply]").length === 1 && ended === 2`)
}

// openFile gives the page a file of the given bytes, a JavaScript expression such as [0x61] or "a1".
func openFile(tab *Tab, name, content string) {
	tab.Helper()
	Eval[bool](tab, fmt.Sprintf(`(() => {
		const content = %s, data = new DataTransfer();
		data.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], %q));
		return document.querySelector(".play").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })) || true;
	})()`, content, name))
}

// A dropped file opens its first game, for people on both sides; Back returns to the old game and its opponent. The
// page fits the screen. An error stands alone, and a newer move is not replaced by a file that is slow to open.
func TestFilesOnPage(t *testing.T) {
	tab := Start(t).Open(t, onDisk(t, exported(t, "hex-5x5", 8, 1)))
	const moves, seats = `(document.querySelectorAll("#moves [data-ply]").length - 1)`, `document.querySelector("#seat0").value + " " + document.querySelector("#seat1").value`
	tab.Wait(`document.body.dataset.state === "ready"`)
	for _, size := range [][2]int64{{360, 740}, {1280, 800}} {
		tab.Resize(size[0], size[1])
		tab.CheckWidth()
	}
	const latin = `[...'(;GM[11]SZ[5]PB[Andr\u00e9]PW[W];B[a1];W[b2])'].map((c) => c.charCodeAt(0))`
	openFile(tab, "old.sgf", latin)
	tab.Wait(moves + ` === 2 && ` + seats + ` === "person person" && document.querySelector("#note").textContent.startsWith("old.sgf: Andr\u00e9 against W.")`)
	openFile(tab, "bad.txt", `"a1 a1"+" ".repeat(40000)`)
	tab.Wait(`/a1 is not legal.*; ludus reads only the first 30 KB of a file here$/.test(document.querySelector("#message").textContent)
		&& document.querySelector("#note").textContent === "" && document.body.dataset.state === "ready"`)
	Eval[bool](tab, `history.back() ?? true`)
	tab.Wait(moves + ` === 0 && ` + seats + ` === "person agent"`)
	Eval[bool](tab, `(() => {
		const { arrayBuffer } = Blob.prototype;
		Blob.prototype.arrayBuffer = function () { return new Promise((resolve) => { globalThis.deliver = () => resolve(arrayBuffer.call(this)); }); };
		return true;
	})()`)
	openFile(tab, "slow.txt", `"a1 b2 c3"`)
	tab.Wait(`globalThis.deliver !== undefined`)
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(moves + ` === 2 && document.body.dataset.state === "ready"`)
	Eval[bool](tab, `(deliver(), true)`)
	tab.Do(chromedp.Sleep(settling))
	tab.Wait(moves + ` === 2 && ` + seats + ` === "person agent"`)
}

// On an exported page from disk, people review a lost game, look for better moves in a quiz by mouse, keys and fingers,
// and play on before a mistake. The agent has a book, which the quiz hides.
func TestQuizOnPage(t *testing.T) {
	game := games.Must("quad-5x5")
	_, data := bookOf(t, game, filepath.Join(t.TempDir(), "a.book"), 1)
	tab := Start(t).Open(t, onDisk(t, exportedWithBook(t, game, 8, 1, data))+"#moves="+strings.Join(lostGame, ";"))
	const answered = `document.querySelector("#quiz .row").firstChild.matches(".primary:focus")`
	expect := func(want string) {
		t.Helper()
		if text := tab.Text("#quiz [role=status]"); !strings.HasPrefix(text, want) {
			t.Errorf("the quiz says %q; want %q", text, want)
		}
	}
	tab.reviewLostGame()
	tab.Click("#review li button")
	tab.Wait(`document.getElementById("openings").checkVisibility()`)
	tab.Click("#deeper")
	tab.Wait(`document.querySelector("#board .heat")`)
	tab.Click("#review > button")
	expect("1 of 2: x to move. In the game 3. a2 was a blunder")
	tab.CheckWidths("quiz", nil)
	if hidden := Eval[bool](tab, `!document.getElementById("review").checkVisibility() && !document.querySelector("#board :is(.hint-ring, .heat)") && !document.querySelector("#hint:enabled, #deeper:enabled")
		&& !document.getElementById("openings").checkVisibility()`); !hidden {
		t.Error("the quiz shows the answer")
	}
	tab.Click(cellOf(16)) // b4, which wins, too
	tab.Wait(answered)
	expect("Right: b4 is as good as ")
	tab.CheckWidths("quiz-answered", nil)
	tab.Press(kb.Enter)
	expect("2 of 2: x to move. In the game 5. d1 was a blunder")
	tab.Press("[", "]") // looking back is allowed
	tab.Focus(cellOf(1))
	tab.Press(kb.Enter) // b1
	tab.Wait(answered)
	expect("No: b1 gives away 100 % (100 % to 0 %, proven), a blunder.After b1: ")
	if n := Eval[int](tab, `document.querySelectorAll("#board .played-ring, #board .hint-ring").length`); n != 2 {
		t.Errorf("after the answer the board has %d marks", n)
	}
	tab.CheckNames()
	tab.Press(kb.Enter)
	expect("You found the better move in 1 of 2 positions.")
	tab.Press(kb.Enter)
	expect("1 of 2")
	tab.Resize(360, 740)
	tab.Touch()
	tab.Tap(cellOf(12))
	tab.Wait(answered)
	expect("Right: c3 is ")
	tab.Tap("#quiz button:last-child")
	tab.Wait(`document.getElementById("review").checkVisibility() && document.querySelector("#moves [aria-current]").dataset.ply === "8"`)
	tab.Tap("#review li:nth-child(3) button:last-child")
	tab.Wait(`document.body.dataset.state === "ready" && document.querySelectorAll("#moves [data-ply]").length === 5`)
	tab.Tap(cellOf(11)) // b3, the better move
	tab.Wait(`document.body.dataset.state === "ready" && document.querySelectorAll("#moves [data-ply]").length === 7`)
}

// served opens a page from a server that sends some headers.
func served(t *testing.T, b *Browser, data []byte, headers map[string]string) *Tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return b.Open(t, server.URL)
}

// The page works on any server, even one that declares a wrong encoding or sends a sandbox policy.
func TestServed(t *testing.T) {
	tab := served(t, Start(t), exported(t, "quad-5x5", 4, 1), map[string]string{
		"Content-Type": "text/html; charset=iso-8859-1", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
		"Content-Security-Policy": "sandbox allow-scripts",
	})
	tab.Wait(`document.body.dataset.state === "ready"`)
	tab.Click("#board [data-cell='12']")
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length === 3`)
}

// If a server's policy forbids the page's script or worker, the page says so.
func TestForbidden(t *testing.T) {
	b := Start(t)
	data := exported(t, "quad-5x5", 4, 1)
	for policy, want := range map[string]string{
		"script-src 'self'":                  "the server of this page forbids them",
		"worker-src 'none'":                  "The engine cannot start: a worker is not allowed here",
		"require-trusted-types-for 'script'": "the server of this page forbids them",
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			tab := served(t, b, data, map[string]string{"Content-Type": "text/html", "Content-Security-Policy": policy})
			tab.Wait(fmt.Sprintf("document.getElementById('play').innerText.includes(%q)", want))
			if problems := tab.Problems(); len(problems) == 0 {
				t.Error("nothing was forbidden")
			}
		})
	}
}

// In a browser that cannot run the engine, the page says what is missing.
func TestOldBrowser(t *testing.T) {
	b := Start(t)
	data := exported(t, "quad-5x5", 4, 1)
	old := strings.Replace(string(data), `name) => !(name in globalThis)`, `name) => name === "DecompressionStream" || !(name in globalThis)`, 1)
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	tab := b.Open(t, onDisk(t, []byte(policy.ReplaceAllString(old, ""))))
	tab.Wait(`!document.getElementById("unable").hidden`)
	if text := tab.Text("#unable"); !strings.Contains(text, "It lacks DecompressionStream.") {
		t.Error(text)
	}
}

// A page with a damaged engine says that the engine cannot start.
func TestDamagedPage(t *testing.T) {
	b := Start(t)
	data := string(exported(t, "quad-5x5", 4, 1))
	at := strings.Index(data, `<script id="engine"`)
	tab := b.Open(t, onDisk(t, []byte(data[:at+300]+data[strings.Index(data, `<script id="weights"`)-20:])))
	showsError := func() {
		t.Helper()
		tab.Wait(`document.body.dataset.state === "error"`)
		if text := tab.Text("#message"); !strings.Contains(text, "The engine cannot start") {
			t.Error(text)
		}
	}
	showsError()
	tab.Click("#retry")
	showsError()
}
