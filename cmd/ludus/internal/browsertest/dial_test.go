package browsertest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"ludus/cmd/ludus/internal/page"
	"ludus/cmd/ludus/internal/web"
	"ludus/env/games"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

// The slider goes from the weakest level of the agent's strength dial, with its interval, to searches above full
// strength. It is hidden where it has no effect.
func TestStrengthDial(t *testing.T) {
	b := Start(t)
	game := games.Must("quad-5x5")
	exported, err := (&page.Page{
		Game: game, Weights: infertest.RandomWeights(game, 4, 1, 1), Origin: "a run",
		Dial: agent.Dial{{Temperature: 64, Rating: 60, Low: 40, High: 80}, {Simulations: 4, Temperature: 0.5, Rating: 1100, Low: 1070, High: 1130}},
	}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	server, _ := serve(t, web.Options{Runs: t.TempDir()})
	for name, address := range map[string]string{
		"web": server + "?" + url.Values{"game": {game.Name}, "agent": {"zoo"}}.Encode(), "page": onDisk(t, exported),
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPlaying(b.Open(t, address), game)
			p.Wait(`document.getElementById("strength1").max > 10`)
			strength := func() string { return p.Text("#strength-text1") }
			if text, want := strength(), map[string]string{"web": "strongest (at most 0.5 % blunders), 64 simulations, full strength (1189 Elo)", "page": "64 simulations, full strength (1100 Elo)"}[name]; text != want {
				t.Errorf("the agent plays at first with %s; want %s", text, want)
			}
			agentLabel := Eval[string](p.Tab, `document.querySelector("#seat1").value`)
			p.Focus("#strength1")
			p.Press(kb.Home)
			weakest := map[string]string{"web": "beginner (69 % blunders), weakened to 100 Elo (", "page": "weakened to 100 Elo ("}[name]
			if text := strength(); !strings.HasPrefix(text, weakest) {
				t.Errorf("the weakest is %s", text)
			}
			p.CheckWidths(name+"-dial", nil)
			p.PlayOn(random(p), 2)
			p.Focus("#strength1")
			p.Press(kb.End)
			if !strings.Contains(strength(), "4096 simulations") {
				t.Errorf("the strongest is %s", strength())
			}
			p.Press(kb.Home)
			p.Choose("#seat1", "greedy")
			p.Wait(`document.querySelector("[data-seat='1'] .strength").hidden`)
			p.Choose("#seat1", agentLabel)
			if text := strength(); !strings.HasPrefix(text, weakest) {
				t.Errorf("after another opponent the weakest is %s", text)
			}
		})
	}
}
