package browsertest

import (
	"encoding/json"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// Node is an element as screen readers see it.
type Node struct{ Role, Name string }

// Nodes lists the page's elements for screen readers, in order.
func (b *Tab) Nodes() []Node {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	var nodes []Node
	for _, n := range tree.Nodes {
		if !n.Ignored {
			nodes = append(nodes, Node{textOf(n.Role), textOf(n.Name)})
		}
	}
	return nodes
}

// textOf returns a value's text, "" if it has none.
func textOf(v *accessibility.Value) string {
	var text string
	if v != nil {
		_ = json.Unmarshal(v.Value, &text) // a value that is no text stays empty
	}
	return text
}

// namedRoles are the roles of elements that need a name.
var namedRoles = []string{"button", "checkbox", "combobox", "link", "meter", "radio", "radiogroup", "slider", "spinbutton", "switch", "textbox"}

// CheckNames fails the test if a control has no accessible name, or the page does not have exactly one main part and
// one top-level heading.
func (b *Tab) CheckNames() {
	b.Helper()
	main := 0
	for _, n := range b.Nodes() {
		if slices.Contains(namedRoles, n.Role) && n.Name == "" {
			b.Errorf("%s: a %s has no name", b.own, n.Role)
		}
		if n.Role == "main" {
			main++
		}
	}
	if headings := Eval[int](b, `[...document.querySelectorAll("h1")].filter((e) => e.checkVisibility()).length`); main != 1 || headings != 1 {
		b.Errorf("%s has %d main parts and %d main headings", b.own, main, headings)
	}
	if language := Eval[string](b, "document.documentElement.lang"); language != "en" {
		b.Errorf("%s says that its language is %q", b.own, language)
	}
}
