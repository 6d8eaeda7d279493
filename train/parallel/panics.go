package parallel

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panics passes panics of goroutines on to the one that waits for them. Only there can a caller recover from them:
// elsewhere they would end the program.
type Panics struct{ first atomic.Pointer[PanicError] }

// PanicError is what a goroutine that waits panics with: the panic of another one.
type PanicError struct {
	Value any
	Stack []byte // of the other goroutine
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.Value, e.Stack) }

// Keep keeps a panic of the function that defers it, if that is the first one.
func (p *Panics) Keep() {
	switch value := recover().(type) {
	case nil:
	case *PanicError: // passed on before
		p.first.CompareAndSwap(nil, value)
	default:
		p.first.CompareAndSwap(nil, &PanicError{value, debug.Stack()})
	}
}

// Pass panics with the panic that was kept, if there is one, and forgets it. The goroutines must have ended.
func (p *Panics) Pass() {
	if e := p.first.Swap(nil); e != nil {
		panic(e)
	}
}
