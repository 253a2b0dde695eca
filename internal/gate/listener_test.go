package gate

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/bubbletest"
)

// writePair writes a certificate for a name, with its key.
func writePair(t *testing.T, dir, name string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "hub.crt"), filepath.Join(dir, "hub.key")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// logged is a log that may be read while it is written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestOneAddressSpeaksBoth(t *testing.T) {
	cert, err := LoadCertificate(first(writePair(t, t.TempDir(), "hub.example.net")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			_, _ = io.WriteString(w, "encrypted "+r.Proto)
			return
		}
		_, _ = io.WriteString(w, "plain "+r.Proto)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(Encrypt(l, cert.Config())) }()
	silent, err := net.Dial("tcp", at) // says nothing, and keeps nobody waiting
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	roots := x509.NewCertPool()
	roots.AddCert(cert.held.Load().Leaf)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "hub.example.net"}, ForceAttemptHTTP2: true}
	for url, want := range map[string]string{"http://" + at: "plain HTTP/1.1", "https://" + at: "encrypted HTTP/2.0"} {
		resp, err := (&http.Client{Transport: transport}).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(text) != want || err != nil {
			t.Errorf("%s: %s, %v", url, text, err)
		}
	}
	transport.CloseIdleConnections()
	if !cert.Names("hub.example.net") || cert.Names("evil.example") || cert.Host() != "hub.example.net" {
		t.Error("the names of the certificate")
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if n, err := silent.Read(make([]byte, 1)); err == nil {
		t.Errorf("the silent connection is open still: %d", n)
	}
}

func first(certFile, keyFile string) (string, string, *slog.Logger) {
	return certFile, keyFile, slog.New(slog.DiscardHandler)
}

// far is a connection from another machine.
type far struct{ net.Conn }

func (far) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 4000} }
func (far) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 7420} }

// near is a connection of this machine to its own address on the network.
type near struct{ far }

func (near) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7420} }

func TestNobodyElsewhereSpeaksPlainly(t *testing.T) {
	for _, c := range []struct {
		name  string
		as    func(net.Conn) net.Conn
		first string
		want  bool
	}{
		{"plain, from elsewhere", func(c net.Conn) net.Conn { return far{c} }, "GET / HTTP/1.1\r\n", false},
		{"encrypted, from elsewhere", func(c net.Conn) net.Conn { return far{c} }, "\x16\x03\x01", true},
		{"plain, from this machine", func(c net.Conn) net.Conn { return near{far{c}} }, "GET / HTTP/1.1\r\n", true},
	} {
		bubbletest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			defer here.Close()
			defer there.Close()
			go func() { _, _ = io.WriteString(there, c.first) }()
			e := &encrypted{config: &tls.Config{}}
			if _, err := e.sorted(c.as(here)); (err == nil) != c.want {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
	bubbletest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		began := time.Now()
		_, err := (&encrypted{}).sorted(far{here})
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != helloTime {
			t.Errorf("who says nothing: %v after %v", err, time.Since(began))
		}
	})
}

func TestAChangedCertificateIsTakenOverAndABrokenOneIsNot(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		dir, log := t.TempDir(), &logged{}
		certFile, keyFile := writePair(t, dir, "first.example")
		cert, err := LoadCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); cert.Run(ctx) }()
		defer func() { stop(); <-done }()
		pass := func() { time.Sleep(3 * certificateLook); synctest.Wait() }
		pass()
		if log.String() != "" {
			t.Errorf("nothing has changed: %s", log)
		}
		good, err := os.ReadFile(keyFile)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(keyFile, []byte("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		pass()
		pass()
		if !cert.Names("first.example") || strings.Count(log.String(), "goes on with the one before") != 1 || strings.Contains(log.String(), "c2VjcmV0") {
			t.Errorf("a broken key: %s", log)
		}
		if err := os.WriteFile(keyFile, good, 0o600); err != nil {
			t.Fatal(err)
		}
		writePair(t, dir, "second.example")
		pass()
		if !cert.Names("second.example") || cert.Names("first.example") {
			t.Errorf("a new one is not taken over: %s", log)
		}
	})
}

func TestACertificateThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := writePair(t, dir, "hub.example.net")
	other, _ := writePair(t, t.TempDir(), "other.example.net")
	for _, c := range [][2]string{{filepath.Join(dir, "none"), keyFile}, {certFile, filepath.Join(dir, "none")}, {other, keyFile}, {keyFile, certFile}} {
		if _, err := LoadCertificate(first(c[0], c[1])); err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
