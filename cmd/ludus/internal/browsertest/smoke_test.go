package browsertest

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"ludus/cmd/ludus/internal/report"
	"ludus/cmd/ludus/internal/web"
	"ludus/env/games"
)

// Every page opens and does its main task: a short check that runs wherever Chromium is installed.
func TestSmoke(t *testing.T) {
	b, dir := sharedChromium(t), t.TempDir()
	run := filepath.Join(dir, "run")
	trainRun(t, run, placed)
	address, _ := serve(t, web.Options{Runs: dir})
	t.Run("play", func(t *testing.T) {
		p := NewPlaying(b.Open(t, address), games.Must(placed))
		playWithoutSearch(p)
		p.PlayOn(random(p), 2)
	})
	t.Run("runs", func(t *testing.T) {
		tab := b.Open(t, address+"runs")
		tab.Wait(`document.querySelector("#runs a") !== null`)
		tab.Click("#runs a")
		tab.Wait(`document.querySelectorAll("[data-chart] canvas").length > 10 && document.querySelector("#ply").textContent.startsWith("ply 0 of ")`)
	})
	t.Run("report", func(t *testing.T) {
		if _, err := report.Write(run); err != nil {
			t.Fatal(err)
		}
		tab := b.Open(t, fileAddress(filepath.Join(run, report.FileName)))
		tab.Click(`[data-go="next"]`)
		tab.Press(kb.ArrowRight)
		tab.Wait(`document.querySelectorAll("[data-chart] canvas").length > 10 && document.querySelector("#ply").textContent.startsWith("ply 2 of ")`)
	})
	t.Run("exported page", func(t *testing.T) {
		p := NewPlaying(b.Open(t, onDisk(t, exported(t, placed, 8, 1))), games.Must(placed))
		playWithoutSearch(p)
		p.PlayOn(random(p), 2)
	})
}
