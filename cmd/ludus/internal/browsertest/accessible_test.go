package browsertest

import (
	"encoding/json"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// Node is what a screen reader finds of an element.
type Node struct{ Role, Name string }

// Nodes lists what screen readers find in the page, in its order.
func (b *Tab) Nodes() []Node {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	var nodes []Node
	for _, n := range tree.Nodes {
		if !n.Ignored {
			nodes = append(nodes, Node{word(n.Role), word(n.Name)})
		}
	}
	return nodes
}

// word is a value's text, "" where there is none.
func word(v *accessibility.Value) string {
	var text string
	if v != nil {
		_ = json.Unmarshal(v.Value, &text) // a value that is no text stays empty
	}
	return text
}

// pressable are the roles of what a person acts on, or reads off.
var pressable = []string{"button", "checkbox", "combobox", "link", "meter", "radio", "radiogroup", "slider", "spinbutton", "switch", "textbox"}

// CheckNames fails the test where something that a person may act on has no name for a screen reader, or the page has not
// one main part and one heading of the first level.
func (b *Tab) CheckNames() {
	b.Helper()
	main := 0
	for _, n := range b.Nodes() {
		if slices.Contains(pressable, n.Role) && n.Name == "" {
			b.Errorf("%s: a %s has no name", b.own, n.Role)
		}
		if n.Role == "main" {
			main++
		}
	}
	if headings := Ask[int](b, `[...document.querySelectorAll("h1")].filter((e) => e.checkVisibility()).length`); main != 1 || headings != 1 {
		b.Errorf("%s has %d main parts and %d main headings", b.own, main, headings)
	}
	if language := Ask[string](b, "document.documentElement.lang"); language != "en" {
		b.Errorf("%s says that its language is %q", b.own, language)
	}
}
