package remote

import "sync"

// notes passes messages to people, each once until clear is called: attempts to reach a server repeat every second.
type notes struct {
	notify func(string)
	mu     sync.Mutex
	said   map[string]bool
}

// maxNotes is how many different messages are remembered.
const maxNotes = 100

func (n *notes) say(text string) {
	n.mu.Lock()
	repeated := n.said[text]
	if n.said == nil || len(n.said) >= maxNotes {
		n.said = map[string]bool{}
	}
	n.said[text] = true
	n.mu.Unlock()
	if !repeated {
		n.notify(text)
	}
}

// clear says that all is well again.
func (n *notes) clear() {
	n.mu.Lock()
	n.said = nil
	n.mu.Unlock()
}
