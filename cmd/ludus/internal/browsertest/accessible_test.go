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
func (t *Tab) Nodes() []Node {
	t.Helper()
	tree, err := chromedp.Call(t.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
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
func (t *Tab) CheckNames() {
	t.Helper()
	main := 0
	for _, n := range t.Nodes() {
		if slices.Contains(namedRoles, n.Role) && n.Name == "" {
			t.Errorf("%s: a %s has no name", t.own, n.Role)
		}
		if n.Role == "main" {
			main++
		}
	}
	if headings := Eval[int](t, `[...document.querySelectorAll("h1")].filter((e) => e.checkVisibility()).length`); main != 1 || headings != 1 {
		t.Errorf("%s has %d main parts and %d main headings", t.own, main, headings)
	}
	if language := Eval[string](t, "document.documentElement.lang"); language != "en" {
		t.Errorf("%s says that its language is %q", t.own, language)
	}
}
