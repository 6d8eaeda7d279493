package parallel

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panics keeps the first panic of several goroutines, so that the one that waits for them can panic with it and a caller can
// recover. A panic that nobody recovers in its own goroutine would end the program.
type Panics struct{ first atomic.Pointer[PanicError] }

// PanicError is what a goroutine that waits panics with: the panic of another one.
type PanicError struct {
	Value any
	Stack []byte // of the other goroutine
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.Value, e.Stack) }

// Keep recovers a panic of the function that defers it, and keeps it if it is the first one.
func (p *Panics) Keep() {
	switch value := recover().(type) {
	case nil:
	case *PanicError: // passed on before
		p.first.CompareAndSwap(nil, value)
	default:
		p.first.CompareAndSwap(nil, &PanicError{value, debug.Stack()})
	}
}

// Pass panics with the kept panic, if there is one, and forgets it. Call it when the goroutines have ended.
func (p *Panics) Pass() {
	if e := p.first.Swap(nil); e != nil {
		panic(e)
	}
}
