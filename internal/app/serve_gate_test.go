package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
)

// writeCertificate writes hub.crt and hub.key, for a name and this machine.
func writeCertificate(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"hub.key": {Type: "PRIVATE KEY", Bytes: secret}, "hub.crt": {Type: "CERTIFICATE", Bytes: der}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestOtherMachinesReachTheHubOnlyEncrypted(t *testing.T) {
	proxy := []netip.Prefix{netip.MustParsePrefix("192.0.2.5/32")}
	for _, c := range []struct {
		name   string
		listen string
		change func(*config.Team)
		says   string // empty if it starts
	}{
		{"everywhere", "0.0.0.0:0", func(*config.Team) {}, "tls: {certificate"},
		{"everywhere, unnamed", ":0", func(*config.Team) {}, "tls: {certificate"},
		{"a proxy without an address", "0.0.0.0:0", func(t *config.Team) { t.PublicURL = "https://parley.example.com" }, "proxies: ["},
		{"an address without a name", "0.0.0.0:0", func(t *config.Team) { t.Proxies = proxy }, "public_url: https://"},
		{"this machine", "127.0.0.1:0", func(*config.Team) {}, ""},
		{"this machine, by name", "localhost:0", func(*config.Team) {}, ""},
		{"behind a proxy", "0.0.0.0:0", func(t *config.Team) { t.PublicURL, t.Proxies = "https://parley.example.com", proxy }, ""},
		{"with a certificate", "0.0.0.0:0", func(t *config.Team) {
			t.TLS = config.TLS{Certificate: filepath.Join(t.Dir, "hub.crt"), Key: filepath.Join(t.Dir, "hub.key")}
		}, ""},
		{"with one that is not there", "127.0.0.1:0", func(t *config.Team) {
			t.TLS = config.TLS{Certificate: filepath.Join(t.Dir, "none.crt"), Key: filepath.Join(t.Dir, "hub.key")}
		}, "none.crt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, "")
			writeCertificate(t, dir, "hub.example.net")
			cfg := configure(t, dir)
			cfg.Listen = c.listen
			c.change(cfg.Team)
			if c.says != "" {
				if err := app.Serve(t.Context(), cfg); parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v", err)
				}
				return
			}
			r := up(t, cfg)
			if hub, err := r.client().Hub(t.Context()); err != nil || hub.You != "Ada" {
				t.Errorf("the command line: %+v, %v", hub, err)
			}
			if strings.Contains(c.name, "proxy") != (r.Public == "https://parley.example.com") {
				t.Errorf("for others it is at %q", r.Public)
			}
		})
	}
}

// The same address speaks TLS. A certificate that is renewed is served without a
// restart, and what is open goes on.
func TestAHubWithACertificate(t *testing.T) {
	dir := folder(t, "-- parley.yaml --\nteam: main\nperson: Ada\nlisten: 127.0.0.1:0\nmodel: scripted:script.yaml\ntls: {certificate: hub.crt, key: hub.key}\n")
	roots := x509.NewCertPool()
	roots.AddCert(writeCertificate(t, dir, "hub.example.net"))
	r := up(t, configure(t, dir))
	ada := r.client()
	if !strings.HasPrefix(ada.Address(), "http://127.0.0.1:") || !strings.HasPrefix(r.Public, "https://127.0.0.1:") {
		t.Errorf("%s, %s", ada.Address(), r.Public)
	}
	made, err := ada.CreateToken(t.Context(), api.TokenRequest{For: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	get := func(roots *x509.CertPool, host string) (*http.Response, error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "hub.example.net"}}
		defer transport.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.Public+"/v1/hub", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+made.Secret)
		resp, err := transport.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		return resp, err
	}
	for host, want := range map[string]int{"hub.example.net": 200, "127.0.0.1": 200, "evil.example": 403} {
		if resp, err := get(roots, host); err != nil || resp.StatusCode != want {
			t.Errorf("as %s: %+v, %v", host, resp, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	heard := make(chan error, 100)
	go func() {
		for e, err := range ada.Events(ctx, "", true) {
			if err != nil || e.Kind == "token.created" {
				heard <- err
			}
		}
	}()
	<-heard // that of the token above
	renewed := x509.NewCertPool()
	renewed.AddCert(writeCertificate(t, dir, "hub.example.net"))
	for {
		resp, err := get(renewed, "hub.example.net")
		if err == nil && resp.StatusCode == 200 {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the new certificate is not served: %v", err)
		}
	}
	if _, err := ada.CreateToken(ctx, api.TokenRequest{For: "Ada"}); err != nil {
		t.Fatal(err)
	}
	if err := <-heard; err != nil {
		t.Errorf("what was open has ended: %v", err)
	}
}

// Who is taken out of the files has no token any more, and what waits with it ends.
func TestWhoIsTakenOutOfTheFilesIsNobody(t *testing.T) {
	dir := folder(t, "-- agents/joiner.md --\n---\nkind: client\n---\n")
	reload := make(chan struct{})
	cfg := configure(t, dir)
	cfg.Reload = reload
	r := up(t, cfg)
	ada := r.client()
	grace, err := ada.AddPerson(t.Context(), "Grace")
	if err != nil {
		t.Fatal(err)
	}
	joiner, err := ada.CreateToken(t.Context(), api.TokenRequest{For: "joiner"})
	if err != nil {
		t.Fatal(err)
	}
	second := client.New(r.URL, grace.Secret)
	defer second.Close()
	if agents, err := second.Agents(t.Context()); err != nil || len(agents) != 5 {
		t.Errorf("%+v, %v", agents, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 2)
	for _, secret := range []string{grace.Secret, joiner.Secret} {
		c, begun := client.New(r.URL, secret), make(chan struct{}, 1000)
		t.Cleanup(c.Close)
		go func() {
			for _, err := range c.Events(ctx, "", true) {
				begun <- struct{}{}
				if err != nil {
					ended <- err
				}
			}
		}()
		<-begun
	}
	text, err := os.ReadFile(filepath.Join(dir, "parley.yaml"))
	if err != nil || !strings.Contains(string(text), "people: [Grace]\n") {
		t.Fatalf("%s, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "parley.yaml"), []byte(strings.Replace(string(text), "people: [Grace]\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "agents", "joiner.md")); err != nil {
		t.Fatal(err)
	}
	reload <- struct{}{}
	for range 2 {
		if err := <-ended; parley.KindOf(err) != parley.Unauthentic {
			t.Errorf("the stream has ended with %v", err)
		}
	}
	for _, secret := range []string{grace.Secret, joiner.Secret} {
		c := client.New(r.URL, secret)
		t.Cleanup(c.Close)
		if _, err := c.Hub(ctx); parley.KindOf(err) != parley.Unauthentic {
			t.Errorf("%v", err)
		}
	}
	for { // the files are applied one after the other
		list, err := ada.Tokens(ctx, true)
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v, %v", list, err)
		}
		if list[1].State == "removed" && list[2].State == "removed" {
			break
		}
	}
}
