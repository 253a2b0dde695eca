package gate

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"parley"
)

// Certificate is the hub's certificate, read again when its files change. Connections
// that are open go on.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	held              atomic.Pointer[tls.Certificate]
	stamp             string // of the files that were read last, also if they are broken
}

// LoadCertificate reads the files.
func LoadCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	c.stamp = c.look()
	pair, err := ReadCertificate(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	c.held.Store(&pair)
	return c, nil
}

// ReadCertificate reads a certificate with its key, and checks that they belong
// together. What is wrong is said without anything of what the files contain.
func ReadCertificate(certFile, keyFile string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return pair, parley.Errorf(parley.Invalid, "The certificate %s with the key %s cannot be used: %v.", certFile, keyFile, err).
			WithHint("tls: in parley.yaml names two files in PEM format that belong together.").WithCause(err)
	}
	return pair, nil
}

// Config serves the certificate as it is at each handshake.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.held.Load(), nil },
	}
}

// Names reports whether the certificate is for a host. No other site can have a name
// for which it holds.
func (c *Certificate) Names(host string) bool {
	leaf := c.held.Load().Leaf
	return leaf != nil && leaf.VerifyHostname(host) == nil
}

// Host is a name or address that the certificate is for; empty if it has none.
func (c *Certificate) Host() string {
	leaf := c.held.Load().Leaf
	switch {
	case leaf == nil:
	case len(leaf.DNSNames) > 0:
		return leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String()
	}
	return ""
}

// certificateLook is how often the files are looked at.
const certificateLook = 2 * time.Second

// Run reads the files again when they have changed, until the context is done. It waits
// until two looks see the same, so that it does not read what is just being written. A
// file that cannot be used changes nothing, and the log says so.
func (c *Certificate) Run(ctx context.Context) {
	tick := time.NewTicker(certificateLook)
	defer tick.Stop()
	seen := c.stamp
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := c.look()
		if now == seen && now != c.stamp {
			c.stamp = now
			c.replace()
		}
		seen = now
	}
}

func (c *Certificate) replace() {
	pair, err := ReadCertificate(c.certFile, c.keyFile)
	if err != nil {
		c.log.Error("the new certificate cannot be used; the hub goes on with the one before", "problem", parley.Public(err))
		return
	}
	c.held.Store(&pair)
	c.log.Info("the hub has a new certificate", "ends", pair.Leaf.NotAfter)
}

// look notices a change of either file, also one that gives it its old size.
func (c *Certificate) look() string {
	text := ""
	for _, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			text += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		} else {
			text += "none "
		}
	}
	return text
}
