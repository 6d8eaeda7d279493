package browsertest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// middle scrolls to an element, waits until it no longer moves, and returns its centre in the viewport. The test fails
// if the element cannot be clicked there: it has no size, is disabled, or another element covers it.
func (t *Tab) middle(selector string) (x, y float64) {
	t.Helper()
	type place struct {
		X, Y  float64
		Wrong string
	}
	at, before := place{Wrong: "was not found"}, place{}
	for end := time.Now().Add(timeout); at != before && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		before = at
		at = Eval[place](t, fmt.Sprintf(`((selector) => {
			const e = document.querySelector(selector);
			if (!e) return { Wrong: "is not there" };
			e.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
			const r = e.getBoundingClientRect(), at = { X: r.left + r.width / 2, Y: r.top + r.height / 2, Wrong: "" };
			if (r.width === 0 || r.height === 0) return { Wrong: "has no size" };
			if (e.disabled || e.closest("fieldset:disabled")) return { Wrong: "is disabled" };
			const over = document.elementFromPoint(at.X, at.Y);
			const own = [e, ...(e.labels || [])].some((o) => o.contains(over));
			return own ? at : { Wrong: "is covered by " + (over ? over.outerHTML.slice(0, 80) : "nothing") };
		})(%q)`, selector))
	}
	if at.Wrong != "" {
		t.Fatalf("%s %s", selector, at.Wrong)
	}
	return at.X, at.Y
}

// Hover moves the mouse over an element: across is the share of its width, at half its height.
func (t *Tab) Hover(selector string, across float64) {
	t.Helper()
	x, y := t.middle(selector)
	width := Eval[float64](t, fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().width", selector))
	t.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x+(across-0.5)*width, y), chromedp.Sleep(settling))
}

// settling is the time that a page may take to react to the mouse.
const settling = 50 * time.Millisecond

// Click clicks an element's centre.
func (t *Tab) Click(selector string) {
	t.Helper()
	x, y := t.middle(selector)
	t.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y), chromedp.MouseClickXY(x, y))
}

// Touch emulates a touch screen, for Tap.
func (t *Tab) Touch() {
	t.Helper()
	t.call(chromedp.Call(t.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
}

// Tap taps an element's centre. It lifts the finger without waiting for the page's reaction, which could make it a long
// press on a busy machine.
func (t *Tab) Tap(selector string) {
	t.Helper()
	x, y := t.middle(selector)
	touched := make(chan error, 1)
	go func() {
		touched <- t.finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	}()
	var lifted error
	for end := time.Now().Add(timeout); time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		lifted = t.finger(input.DispatchTouchEventTypeTouchEnd)
		if lifted == nil || !strings.Contains(lifted.Error(), "TouchStart first") { // or the start is still on its way
			break
		}
	}
	if err := errors.Join(lifted, <-touched); err != nil {
		t.Fatal(err)
	}
}

func (t *Tab) finger(act input.DispatchTouchEventType, points ...*input.TouchPoint) error {
	_, err := chromedp.Call(t.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: act, TouchPoints: append([]*input.TouchPoint{}, points...), // not nil, even where no finger is left
	})
	return err
}

// Press presses keys in turn: characters, or keys of package kb.
func (t *Tab) Press(keys ...string) {
	t.Helper()
	for _, key := range keys {
		t.Do(chromedp.KeyEvent(key))
	}
}

// Focus focuses an element.
func (t *Tab) Focus(selector string) {
	t.Helper()
	if !Eval[bool](t, fmt.Sprintf("((e) => { e.focus(); return e === document.activeElement; })(document.querySelector(%q))", selector)) {
		t.Fatalf("%s takes no focus", selector)
	}
}

// Choose selects an option by its value, with the keyboard.
func (t *Tab) Choose(selector, value string) {
	t.Helper()
	t.Focus(selector)
	at := Eval[int](t, fmt.Sprintf("[...document.querySelector(%q).options].findIndex((o) => o.value === %q)", selector, value))
	if at < 0 {
		t.Fatalf("%s has no option %q", selector, value)
	}
	t.Press(kb.Home, strings.Repeat(kb.ArrowDown, at))
	if now := Eval[string](t, fmt.Sprintf("document.querySelector(%q).value", selector)); now != value {
		t.Fatalf("%s is at %q, not %q", selector, now, value)
	}
}
