package web

import (
	"net"
	"sync"
)

// bounded is a listener with so many connections at once, the capacity of open; others wait to be accepted.
type bounded struct {
	net.Listener
	open chan struct{} // one for each
}

func (b *bounded) Accept() (net.Conn, error) {
	b.open <- struct{}{}
	conn, err := b.Listener.Accept()
	if err != nil {
		<-b.open
		return nil, err
	}
	return &counted{Conn: conn, leave: sync.OnceFunc(func() { <-b.open })}, nil
}

// counted is a connection that leaves once it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
