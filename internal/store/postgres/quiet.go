package postgres

import (
	"crypto/tls"
	"net"
	"syscall"
)

// quiet reports whether an idle connection indeed has nothing to read. If the server
// has closed it or said goodbye, that can be read before anything is sent. This costs
// a system call and no waiting.
func quiet(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	sc, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	var b [1]byte
	var readErr error
	// Control, not Read: after a slow write the driver may have left a reading
	// goroutine behind, and Read would wait for it.
	err = raw.Control(func(fd uintptr) {
		_, _, readErr = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err == nil && (readErr == syscall.EAGAIN || readErr == syscall.EWOULDBLOCK)
}
