package browsertest

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browser is a running Chromium. Several tests may open tabs in it at once.
type Browser struct{ ctx context.Context }

// Start starts Chromium for one of the full browser tests. It skips the test unless LUDUS_TEST_BROWSER=1.
func Start(t *testing.T) *Browser {
	t.Helper()
	if os.Getenv("LUDUS_TEST_BROWSER") != "1" {
		t.Skip("LUDUS_TEST_BROWSER=1 runs all browser tests")
	}
	return startChromium(t)
}

// startChromium starts Chromium with an empty profile until the test ends. It skips the test if Chromium is not installed or
// LUDUS_TEST_BROWSER=0.
func startChromium(t *testing.T) *Browser {
	t.Helper()
	wanted := os.Getenv("LUDUS_TEST_BROWSER")
	if wanted == "0" {
		t.Skip("LUDUS_TEST_BROWSER=0 skips all browser tests")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		if wanted == "1" {
			t.Fatal(err)
		}
		t.Skip("Chromium is not installed")
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// Tabs in the background run at full speed.
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("disable-renderer-backgrounding", true),
		chromedp.Flag("disable-backgrounding-occluded-windows", true),
		chromedp.Flag("disable-smooth-scrolling", true), // else a tap can miss a page that still scrolls
		chromedp.UserDataDir(t.TempDir()))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		// Cancel waits until Chromium has ended: it may write its profile until then, and the test removes that folder.
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log(err)
		}
		cancel()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
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
