package parallel

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panics keeps the first panic of several goroutines. The goroutine that waits for them can then panic with it, and a
// caller can recover. (A panic that is not recovered in its own goroutine ends the program.)
type Panics struct{ first atomic.Pointer[PanicError] }

// PanicError is the value with which a waiting goroutine repeats the panic of another one.
type PanicError struct {
	Value any
	Stack []byte // stack of the panicking goroutine
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.Value, e.Stack) }

// Keep recovers a panic of the function that defers it, and keeps the panic if it is the first.
func (p *Panics) Keep() {
	switch value := recover().(type) {
	case nil:
	case *PanicError: // another Pass has already wrapped the panic
		p.first.CompareAndSwap(nil, value)
	default:
		p.first.CompareAndSwap(nil, &PanicError{value, debug.Stack()})
	}
}

// Pass panics with the kept panic, if there is one, and forgets it. Call it after the goroutines have ended.
func (p *Panics) Pass() {
	if e := p.first.Swap(nil); e != nil {
		panic(e)
	}
}
