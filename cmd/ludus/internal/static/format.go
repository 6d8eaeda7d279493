package static

import "strconv"

// Grouped writes n like grouped in format.js: from five digits on with commas between thousands.
func Grouped(n int) string {
	text := strconv.Itoa(n)
	if n < 10_000 && n > -10_000 {
		return text
	}
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
