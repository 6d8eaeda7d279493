package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// patience bounds every step that a page is asked to do: a busy machine is slow.
const patience = time.Minute

// Tab is a page in a browser, with a memory of its own. Its test fails where the page complains, or asks for anything of
// another origin; a page from disk may ask for nothing at all.
type Tab struct {
	*testing.T
	ctx context.Context
	own *url.URL

	mu         sync.Mutex // guards what follows
	complaints []string
}

// Open shows a page in a new tab of 1280 by 900 pixels, until the test ends.
func (b *Browser) Open(t *testing.T, address string) *Tab {
	t.Helper()
	own, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	tab := &Tab{T: t, ctx: ctx, own: own}
	if err := chromedp.Listen(ctx, tab.listen); err != nil {
		t.Fatal(err)
	}
	tab.call(chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	// Workers wait until they are listened to as well.
	tab.call(chromedp.Call(ctx, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true),
	}))
	tab.Resize(1280, 900)
	tab.Visit(address)
	t.Cleanup(func() {
		if complaints := tab.Complaints(); len(complaints) > 0 {
			t.Errorf("%s: %q", own, complaints)
		}
	})
	return tab
}

// call fails the test where the browser refuses a call.
func (b *Tab) call(_ any, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// Visit goes to another address of the same origin, or to the same page again where only the part after # differs.
func (b *Tab) Visit(address string) {
	b.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
}

// listen notes complaints and foreign requests. It must not wait for the browser.
func (b *Tab) listen(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.request(e.Request.URL)
	case *network.EventWebSocketCreated:
		b.complain("asks for " + e.URL)
	case *log.EventEntryAdded:
		b.complain(string(e.Entry.Level) + ": " + e.Entry.Text)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += ": " + x.Description
		}
		b.complain(text)
	case *runtime.EventConsoleAPICalled:
		text := "console." + string(e.Type)
		for _, arg := range e.Args {
			text += " " + string(arg.Value) + arg.Description
		}
		b.complain(text)
	case *target.EventAttachedToTarget:
		go b.attend(e.TargetInfo)
	}
}

// attend listens to a worker of the page too, and lets it start.
func (b *Tab) attend(worker *target.Info) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(worker.TargetID), chromedp.WithDetachOnCancel())
	b.Cleanup(cancel)
	err := chromedp.Listen(ctx, b.listen)
	if err == nil {
		_, err = chromedp.Call(ctx, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	}
	if ended := ctx.Err() != nil || errors.Is(err, chromedp.ErrTargetDetached); err != nil && !ended {
		b.complain(fmt.Sprintf("%s %s: %v", worker.Type, worker.URL, err))
	}
}

// request notes a foreign request.
func (b *Tab) request(address string) {
	asked, err := url.Parse(address)
	switch {
	case err != nil:
	case asked.Scheme == "data" || asked.Scheme == "blob":
		return // nothing leaves the page
	case b.own.Scheme == "file" && asked.Scheme == "file" && asked.Path == b.own.Path:
		return
	case b.own.Scheme != "file" && asked.Scheme == b.own.Scheme && asked.Host == b.own.Host:
		return
	}
	b.complain("asks for " + address)
}

func (b *Tab) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

// Complaints returns what was wrong since the last call: foreign requests, messages on the console and exceptions.
func (b *Tab) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.complaints
	b.complaints = nil
	return all
}

// Do runs steps.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// Ask evaluates a script; where that is a promise, its value.
func Ask[T any](b *Tab, script string) T {
	b.Helper()
	value, err := evaluate[T](b, script)
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return value
}

func evaluate[T any](b *Tab, script string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Wait waits until a script is true. The page may go elsewhere meanwhile.
func (b *Tab) Wait(script string) {
	b.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		is, err := evaluate[bool](b, "Boolean("+script+")")
		if is {
			return
		}
		if err != nil && !strings.Contains(err.Error(), "Inspected target navigated") {
			b.Fatalf("%s: %v", script, err)
		}
		if time.Now().After(end) {
			b.Fatalf("not true within %v: %s; the page says %q", patience, script, Ask[string](b, "document.body.innerText.slice(0, 500)"))
		}
	}
}

// Text is an element's text.
func (b *Tab) Text(selector string) string {
	b.Helper()
	return Ask[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// Resize sets the size of the viewport.
func (b *Tab) Resize(width, height int64) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Prefer sets the colours that the system asks for, light or dark.
func (b *Tab) Prefer(theme string) {
	b.Helper()
	b.call(chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	}))
}

// Shoot keeps a screenshot of the whole page where that is asked for.
func (b *Tab) Shoot(name string) {
	b.Helper()
	folder := os.Getenv("LUDUS_SHOTS")
	if folder == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// CheckWidth fails the test where the page has to be scrolled sideways.
func (b *Tab) CheckWidth() {
	b.Helper()
	wide := Ask[[]string](b, `(() => { const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return [];
		return [...document.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 0.5)
			.map((e) => e.tagName.toLowerCase() + "#" + e.id + "." + e.getAttribute("class")); })()`)
	if len(wide) > 0 {
		b.Errorf("%s is too wide for %d px: %q", b.own, Ask[int](b, "innerWidth"), wide[:min(5, len(wide))])
	}
}
