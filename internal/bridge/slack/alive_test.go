package slack

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"parley/internal/bubbletest"
)

// Whatever comes keeps a connection, a ping too; silence ends it.
func TestWhatComesKeepsAConnection(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer func() { _ = near.Close() }()
		defer func() { _ = far.Close() }()
		go func() {
			for range 10 {
				time.Sleep(50 * time.Second)
				_, _ = far.Write([]byte("x"))
			}
		}()
		began, in := time.Now(), alive{near, time.Minute}
		for range 10 {
			if _, err := in.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := in.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 560*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
