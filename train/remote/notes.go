package remote

import (
	"sync"
	"time"
)

// notes passes messages to people, but the same one at most once a minute: attempts to reach a server repeat every second.
type notes struct {
	notify func(string)
	mu     sync.Mutex
	said   map[string]time.Time // when each message was passed last
}

const (
	noteInterval = time.Minute
	maxNotes     = 100 // different messages that are remembered
)

func (n *notes) say(text string) {
	if n.isNew(text, time.Now()) {
		n.notify(text)
	}
}

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
