package remote

import (
	"sync"
	"time"
)

// notes passes messages to people, each text at most once a minute, because attempts to reach a server repeat every second.
type notes struct {
	notify func(string)
	mu     sync.Mutex
	said   map[string]time.Time // time at which each message was last passed
}

const (
	noteInterval = time.Minute
	maxNotes     = 100 // number of messages to remember
)

// say passes a text on, unless it was passed on within the last noteInterval.
func (n *notes) say(text string) {
	if n.isNew(text, time.Now()) {
		n.notify(text)
	}
}

// isNew reports whether a text was not passed on within the last noteInterval, and remembers it. Once it has maxNotes
// texts, it forgets them all.
func (n *notes) isNew(text string, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last, ok := n.said[text]; ok && now.Sub(last) < noteInterval {
		return false
	}
	if n.said == nil || len(n.said) >= maxNotes {
		n.said = map[string]time.Time{}
	}
	n.said[text] = now
	return true
}
