package page

import (
	"regexp"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/model/infer/infertest"
)

// made returns the page of a random network.
func made(t *testing.T, name, origin string, channels, blocks int) []byte {
	t.Helper()
	game := games.Must(name)
	weights := infertest.RandomWeights(game, channels, blocks, 1)
	data, err := (&Page{Game: game, Weights: weights, Origin: origin}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Pages can be sent by mail, even those of a large network, and equal networks give equal pages.
func TestSize(t *testing.T) {
	const most = 5_200_000
	for _, name := range []string{"breakthrough-6x6", "hex"} {
		data := made(t, name, "a run", 64, 5)
		if len(data) > most || string(made(t, name, "a run", 64, 5)) != string(data) {
			t.Errorf("%s: %d bytes; want %d at most, and the same once more", name, len(data), most)
		}
	}
}

// A page is refused for a game that was added after its engine was built, and made for every other.
func TestUnknownGame(t *testing.T) {
	for _, f := range games.Families() {
		if game := games.Must(f.Aliases[0].Name); !known(game) {
			t.Errorf("the engine does not know %s: go generate ./cmd/ludus/internal/page", game.Name)
		}
	}
	added := *games.Must("quad-5x5")
	added.Name, added.Family = "new-game(size=5)", "new-game"
	data, err := (&Page{Game: &added, Weights: infertest.RandomWeights(&added, 4, 1, 1)}).HTML()
	if err == nil || data != nil || !strings.Contains(err.Error(), "does not know new-game(size=5) yet; run \"go generate ") {
		t.Errorf("a new game gives %d bytes, %v", len(data), err)
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
