package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browser is a running Chromium. Several tests may open tabs in it at once.
type Browser struct{ ctx context.Context }

// chromium is shared by all tests; the first test that needs it starts it.
var chromium struct {
	once    sync.Once
	browser *Browser
	stop    func() error // ends it
	err     error
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ludus-runs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	trained.dir, trained.runs = dir, map[string]bool{}
	code := m.Run()
	_ = os.RemoveAll(dir) // a folder of temporary files
	if chromium.stop != nil {
		if err := chromium.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "ending Chromium:", err)
		}
	}
	os.Exit(code)
}

// Start returns the Chromium that all tests share, and runs the test beside others, since pages often wait. It skips
// the test unless LUDUS_TEST_BROWSER=1.
func Start(t *testing.T) *Browser {
	t.Helper()
	if os.Getenv("LUDUS_TEST_BROWSER") != "1" {
		t.Skip("LUDUS_TEST_BROWSER=1 runs all browser tests")
	}
	t.Parallel()
	return sharedChromium(t)
}

// sharedChromium returns the Chromium that all tests share. It skips the test if Chromium is not installed or
// LUDUS_TEST_BROWSER=0.
func sharedChromium(t *testing.T) *Browser {
	t.Helper()
	wanted := os.Getenv("LUDUS_TEST_BROWSER")
	if wanted == "0" {
		t.Skip("LUDUS_TEST_BROWSER=0 skips all browser tests")
	}
	program, err := exec.LookPath("chromium-headless-shell") // takes half of the time
	if err != nil {
		program, err = exec.LookPath("chromium")
	}
	if err != nil {
		if wanted == "1" {
			t.Fatal(err)
		}
		t.Skip("Chromium is not installed")
	}
	chromium.once.Do(func() { chromium.browser, chromium.stop, chromium.err = launch(program) })
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	return chromium.browser
}

// launch starts Chromium with an empty profile, and returns what ends it.
func launch(program string) (*Browser, func() error, error) {
	ctx, kill := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// Tabs in the background run at full speed.
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("disable-renderer-backgrounding", true),
		chromedp.Flag("disable-backgrounding-occluded-windows", true),
		chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-smooth-scrolling", true),     // else a tap can miss a page that still scrolls
		chromedp.Flag("force-prefers-reduced-motion", true), // animations take a third of the time
		chromedp.Flag("js-flags", "--liftoff-only"))         // spares each engine the time of the optimizing compiler
	ctx, cancel := chromedp.NewContext(ctx)
	stop := func() error {
		defer kill()
		defer cancel()
		soon, end := context.WithTimeout(ctx, timeout)
		defer end()
		return chromedp.Cancel(soon)
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, err
	}
	return &Browser{ctx}, stop, nil
}

// onDisk writes a page into a file whose name needs escaping, and returns its file: address.
func onDisk(t *testing.T, page []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a page, \"ä#%41?&.html")
	if err := os.WriteFile(path, page, 0o666); err != nil {
		t.Fatal(err)
	}
	return fileAddress(path)
}

func fileAddress(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
