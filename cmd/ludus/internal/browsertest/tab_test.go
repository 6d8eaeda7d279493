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

// timeout limits every step of a page; a busy machine is slow.
const timeout = time.Minute

// Tab is a page in a browser, with cookies and storage of its own. At the end of the test, problems that the test did
// not take fail it: console messages, exceptions and requests to other origins. A page from disk may make no request at
// all.
type Tab struct {
	*testing.T
	ctx context.Context
	own *url.URL

	mu       sync.Mutex // guards problems
	problems []string
}

// Open opens a page in a new tab of 1280 by 900 pixels until the test ends.
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
	// Workers start paused, see attach.
	tab.call(chromedp.Call(ctx, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true),
	}))
	tab.Do(chromedp.Navigate(address))
	t.Cleanup(func() {
		if problems := tab.Problems(); len(problems) > 0 {
			t.Errorf("%s: %q", own, problems)
		}
	})
	return tab
}

// call fails the test if a browser call failed.
func (t *Tab) call(_ any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Visit loads another page of the same origin. It reloads the page even if only the part after # differs.
func (t *Tab) Visit(address string) {
	t.Helper()
	t.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
}

// listen records problems. It runs in the browser connection's goroutine, so it must not make calls.
func (t *Tab) listen(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		t.request(e.Request.URL)
	case *network.EventWebSocketCreated:
		t.addProblem("requests " + e.URL)
	case *log.EventEntryAdded:
		t.addProblem(string(e.Entry.Level) + ": " + e.Entry.Text)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += ": " + x.Description
		}
		t.addProblem(text)
	case *runtime.EventConsoleAPICalled:
		text := "console." + string(e.Type)
		for _, arg := range e.Args {
			text += " " + string(arg.Value) + arg.Description
		}
		t.addProblem(text)
	case *target.EventAttachedToTarget:
		go t.attach(e.TargetInfo)
	}
}

// attach records the problems of a worker too, and lets it start.
func (t *Tab) attach(worker *target.Info) {
	ctx, cancel := chromedp.NewContext(t.ctx, chromedp.WithTargetID(worker.TargetID), chromedp.WithDetachOnCancel())
	t.Cleanup(cancel)
	err := chromedp.Listen(ctx, t.listen)
	if err == nil {
		_, err = chromedp.Call(ctx, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	}
	if ended := ctx.Err() != nil || errors.Is(err, chromedp.ErrTargetDetached); err != nil && !ended {
		t.addProblem(fmt.Sprintf("%s %s: %v", worker.Type, worker.URL, err))
	}
}

// request records a request to another origin.
func (t *Tab) request(address string) {
	requested, err := url.Parse(address)
	switch {
	case err != nil:
	case requested.Scheme == "data" || requested.Scheme == "blob":
		return // stays in the page
	case t.own.Scheme == "file" && requested.Scheme == "file" && requested.Path == t.own.Path:
		return
	case t.own.Scheme != "file" && requested.Scheme == t.own.Scheme && requested.Host == t.own.Host:
		return
	}
	t.addProblem("requests " + address)
}

func (t *Tab) addProblem(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, text)
}

// Problems returns and removes the recorded problems.
func (t *Tab) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.problems
	t.problems = nil
	return all
}

// Do runs browser actions.
func (t *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Eval returns the value of a script, awaiting promises.
func Eval[T any](b *Tab, script string) T {
	b.Helper()
	value, err := evaluate[T](b, script)
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return value
}

func evaluate[T any](b *Tab, script string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, timeout)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Wait waits until a script returns a true value. The page may navigate meanwhile.
func (t *Tab) Wait(script string) {
	t.Helper()
	pause := 5 * time.Millisecond
	for end := time.Now().Add(timeout); ; time.Sleep(pause) {
		is, err := evaluate[bool](t, "Boolean("+script+")")
		if is {
			return
		}
		if err != nil && !strings.Contains(err.Error(), "Inspected target navigated") {
			t.Fatalf("%s: %v", script, err)
		}
		if time.Now().After(end) {
			t.Fatalf("not true within %v: %s; the page says %q", timeout, script, Eval[string](t, "document.body.innerText.slice(0, 500)"))
		}
		pause = min(pause*5/4, 40*time.Millisecond) // each look costs the browser time
	}
}

// Text returns an element's text.
func (t *Tab) Text(selector string) string {
	t.Helper()
	return Eval[string](t, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// Resize sets the size of the viewport.
func (t *Tab) Resize(width, height int64) {
	t.Helper()
	t.Do(chromedp.EmulateViewport(width, height))
	Eval[bool](t, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`) // charts follow
}

// Prefer sets the system's colour scheme, light or dark.
func (t *Tab) Prefer(theme string) {
	t.Helper()
	t.prefer("prefers-color-scheme", theme)
}

// Animate lets the page move things, which Chromium tells pages to avoid by default.
func (t *Tab) Animate() {
	t.Helper()
	t.prefer("prefers-reduced-motion", "no-preference")
}

// prefer sets a preference of the reader, and takes back the last one.
func (t *Tab) prefer(name, value string) {
	t.Helper()
	t.call(chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: name, Value: value}},
	}))
}

// Shoot writes a screenshot of the whole page if LUDUS_SHOTS is set.
func (t *Tab) Shoot(name string) {
	t.Helper()
	folder := os.Getenv("LUDUS_SHOTS")
	if folder == "" {
		return
	}
	data, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// minControl is the least height of controls on a phone, in pixels.
const minControl = 40

// CheckWidth fails the test if the page is wider than the viewport or, on a phone, has a control that is too low for a
// finger. Cells of a board and links within text are no such controls.
func (t *Tab) CheckWidth() {
	t.Helper()
	wide := Eval[[]string](t, `(() => { const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return [];
		return [...document.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 0.5)
			.map((e) => e.tagName.toLowerCase() + "#" + e.id + "." + e.getAttribute("class")); })()`)
	if len(wide) > 0 {
		t.Errorf("%s is too wide for %d px: %q", t.own, Eval[int](t, "innerWidth"), wide[:min(5, len(wide))])
	}
	low := Eval[[]string](t, fmt.Sprintf(`innerWidth > 400 ? [] : [...document.querySelectorAll("button, select, summary, input, nav a, .button")]
		.filter((e) => e.checkVisibility() && !e.closest(".cells"))
		.map((e) => e.matches("[type=checkbox], [type=radio]") ? e.closest("label") : e)
		.filter((e) => e.getBoundingClientRect().height < %d - 0.5)
		.map((e) => e.tagName.toLowerCase() + "#" + e.id + " " + e.textContent.trim().slice(0, 20) + " " + e.getBoundingClientRect().height)`, minControl))
	if len(low) > 0 {
		t.Errorf("%s has controls below %d px: %q", t.own, minControl, low[:min(9, len(low))])
	}
}

// CheckWidths checks that the page fits a phone and a desktop, and takes screenshots in light and dark. more, if not
// nil, is called at each width.
func (t *Tab) CheckWidths(name string, more func(width int64)) {
	t.Helper()
	for _, width := range []int64{360, 1280} {
		t.Resize(width, 800)
		for _, theme := range []string{"light", "dark"} {
			t.Prefer(theme)
			t.Shoot(fmt.Sprintf("%s-%d-%s", name, width, theme))
		}
		t.CheckWidth()
		if more != nil {
			more(width)
		}
	}
}

const background = "getComputedStyle(document.body).backgroundColor"

// CheckThemes checks that the page follows the system's colour scheme, and the button that overrides it. It leaves the
// page light in a dark system, and returns the background.
func (t *Tab) CheckThemes() string {
	t.Helper()
	t.Prefer("light")
	light := Eval[string](t, background)
	t.Prefer("dark")
	if dark := Eval[string](t, background); light == dark {
		t.Errorf("light and dark have the same background %s", light)
	}
	t.Click("#theme")
	if after := Eval[string](t, background); after != light {
		t.Errorf("the button turns dark to %s, not to light, %s", after, light)
	}
	return light
}
