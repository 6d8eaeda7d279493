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
func (b *Tab) middle(selector string) (x, y float64) {
	b.Helper()
	type place struct {
		X, Y  float64
		Wrong string
	}
	at, before := place{Wrong: "was not found"}, place{}
	for end := time.Now().Add(timeout); at != before && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		before = at
		at = Eval[place](b, fmt.Sprintf(`((selector) => {
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
		b.Fatalf("%s %s", selector, at.Wrong)
	}
	return at.X, at.Y
}

// Hover moves the mouse over an element: across is the share of its width, at half its height.
func (b *Tab) Hover(selector string, across float64) {
	b.Helper()
	x, y := b.middle(selector)
	width := Eval[float64](b, fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().width", selector))
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x+(across-0.5)*width, y), chromedp.Sleep(settling))
}

// settling is the time that a page may take to react to the mouse.
const settling = 50 * time.Millisecond

// Click clicks an element's centre.
func (b *Tab) Click(selector string) {
	b.Helper()
	x, y := b.middle(selector)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y), chromedp.MouseClickXY(x, y))
}

// Touch emulates a touch screen, for Tap.
func (b *Tab) Touch() {
	b.Helper()
	b.call(chromedp.Call(b.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
}

// Tap taps an element's centre. It lifts the finger without waiting for the page's reaction, which could make it a long
// press on a busy machine.
func (b *Tab) Tap(selector string) {
	b.Helper()
	x, y := b.middle(selector)
	touched := make(chan error, 1)
	go func() {
		touched <- b.finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	}()
	var lifted error
	for end := time.Now().Add(timeout); time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		lifted = b.finger(input.DispatchTouchEventTypeTouchEnd)
		if lifted == nil || !strings.Contains(lifted.Error(), "TouchStart first") { // or the start is still on its way
			break
		}
	}
	if err := errors.Join(lifted, <-touched); err != nil {
		b.Fatal(err)
	}
}

func (b *Tab) finger(act input.DispatchTouchEventType, points ...*input.TouchPoint) error {
	_, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: act, TouchPoints: append([]*input.TouchPoint{}, points...), // not nil, even where no finger is left
	})
	return err
}

// Press presses keys in turn: characters, or keys of package kb.
func (b *Tab) Press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.Do(chromedp.KeyEvent(key))
	}
}

// Focus focuses an element.
func (b *Tab) Focus(selector string) {
	b.Helper()
	if !Eval[bool](b, fmt.Sprintf("((e) => { e.focus(); return e === document.activeElement; })(document.querySelector(%q))", selector)) {
		b.Fatalf("%s takes no focus", selector)
	}
}

// Choose selects an option by its value, with the keyboard.
func (b *Tab) Choose(selector, value string) {
	b.Helper()
	b.Focus(selector)
	at := Eval[int](b, fmt.Sprintf("[...document.querySelector(%q).options].findIndex((o) => o.value === %q)", selector, value))
	if at < 0 {
		b.Fatalf("%s has no option %q", selector, value)
	}
	b.Press(kb.Home, strings.Repeat(kb.ArrowDown, at))
	if now := Eval[string](b, fmt.Sprintf("document.querySelector(%q).value", selector)); now != value {
		b.Fatalf("%s is at %q, not %q", selector, now, value)
	}
}
