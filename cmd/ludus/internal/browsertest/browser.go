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

// Browser is a running Chromium. Tabs may be opened in it by several tests at once.
type Browser struct{ ctx context.Context }

// Start starts a Chromium with an empty profile, which ends with the test.
func Start(t *testing.T) *Browser {
	t.Helper()
	wanted := os.Getenv("LUDUS_TEST_BROWSER")
	if wanted == "0" {
		t.Skip("LUDUS_TEST_BROWSER=0 leaves out what needs a browser")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		if wanted != "" {
			t.Fatal(err)
		}
		t.Skip("Chromium is not installed")
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// No tab is slower for being behind another.
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("disable-renderer-backgrounding", true),
		chromedp.Flag("disable-backgrounding-occluded-windows", true),
		chromedp.UserDataDir(t.TempDir()))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		// A browser that is asked to end may still be writing its profile; the test's folder is removed after it has ended.
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

// Open shows a page in a new browser.
func Open(t *testing.T, address string) *Tab {
	t.Helper()
	return Start(t).Open(t, address)
}

// File is the address of a file.
func File(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
