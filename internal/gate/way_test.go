package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		listen, host string
		ours         bool
	}{
		{"127.0.0.1", "127.0.0.1:7420", true},
		{"127.0.0.1", "localhost:7420", true},
		{"127.0.0.1", "LOCALHOST", true},
		{"127.0.0.1", "[::1]:7420", true},
		{"127.0.0.1", "[::1]", true},
		{"127.0.0.1", "127.8.9.10:1", true},
		{"127.0.0.1", "evil.example:7420", false},
		{"127.0.0.1", "127.0.0.1.evil.example", false},
		{"127.0.0.1", "10.0.0.7:7420", false},
		{"127.0.0.1", "", false},
		{"hub.example", "hub.example:7420", true},
		{"hub.example", "Hub.Example", true},
		{"hub.example", "evil.example", false},
		{"10.0.0.7", "10.0.0.7:7420", true},
		{"0.0.0.0", "10.0.0.7:7420", true},
		{"0.0.0.0", "evil.example:7420", false},
		{"", "10.0.0.7:7420", true},
		{"", "evil.example:7420", false},
		{"", "", false},
		{"::", "[fe80::1]:7420", true},
	} {
		g := New(Config{Host: c.listen})
		if got := g.ourName(c.host); got != c.ours {
			t.Errorf("listening on %q, Host %q: %v", c.listen, c.host, got)
		}
	}
}

func TestPublicNames(t *testing.T) {
	public, err := url.Parse("https://parley.example.com")
	if err != nil {
		t.Fatal(err)
	}
	g := New(Config{Host: "127.0.0.1", PublicURL: public, Names: func(s string) bool { return s == "hub.example.net" }})
	for _, c := range []struct {
		host, origin string
		want         bool
	}{
		{"parley.example.com", "", true},
		{"Parley.Example.Com:443", "https://parley.example.com", true},
		{"hub.example.net:7420", "https://hub.example.net:7420", true},
		{"127.0.0.1:7420", "https://parley.example.com", true}, // the proxy has replaced the Host
		{"127.0.0.1:7420", "http://parley.example.com", false},
		{"127.0.0.1:7420", "https://hub.example.net", false},
		{"parley.example.com", "https://evil.example", false},
		{"parley.example.com.evil.example", "", false},
		{"example.com", "", false},
		{"", "", false},
	} {
		r := request(here, "")
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if err := g.checkWay(r); (err == nil) != c.want {
			t.Errorf("Host %q, Origin %q: %v", c.host, c.origin, err)
		}
	}
}

func TestOnlyAProxyIsBelievedAboutAddresses(t *testing.T) {
	g := New(Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24"), netip.MustParsePrefix("fd00::5/128")}})
	for _, c := range []struct{ from, said, want string }{
		{"192.0.2.1:1", "", "192.0.2.1/32"},
		{"192.0.2.1:1", "198.51.100.7", "192.0.2.1/32"}, // anybody can say this
		{"10.0.0.5:1", "198.51.100.7", "198.51.100.7/32"},
		{"10.0.0.5:1", "1.1.1.1, 198.51.100.7", "198.51.100.7/32"}, // the proxy adds to what the caller says
		{"10.0.0.5:1", "1.1.1.1, 198.51.100.7, 10.0.0.6", "198.51.100.7/32"},
		{"10.0.0.5:1", "", "10.0.0.5/32"},
		{"10.0.0.5:1", "nonsense", "10.0.0.5/32"},
		{"10.0.0.5:1", "198.51.100.7:4000", "198.51.100.7/32"},
		{"[fd00::5]:1", "[2001:db8::1]:4000", "2001:db8::/64"},
		{"[::ffff:192.0.2.1]:1", "", "192.0.2.1/32"},
		{"[2001:db8:1:2:3::4]:1", "", "2001:db8:1:2::/64"},
		{"pipe", "1.1.1.1", "invalid Prefix"},
	} {
		r := request(c.from, "")
		if c.said != "" {
			r.Header.Set("X-Forwarded-For", c.said)
		}
		if got := g.source(r); got.String() != c.want {
			t.Errorf("from %s, which says %q: %s", c.from, c.said, got)
		}
	}
}

func TestBehindAProxyNobodyElseIsLetIn(t *testing.T) {
	public, err := url.Parse("https://parley.example.com")
	if err != nil {
		t.Fatal(err)
	}
	g := New(Config{Host: "0.0.0.0", PublicURL: public, ProxiesOnly: true, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32")}})
	for from, want := range map[string]bool{"10.0.0.5:1": true, "127.0.0.1:1": true, "[::1]:1": true, "10.0.0.6:1": false, "192.0.2.1:1": false, "10.0.0.1:1": true} {
		r := request(from, "")
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 7420})))
		err := g.checkWay(r)
		if (err == nil) != want {
			t.Errorf("from %s: %v", from, err)
		}
		if err != nil && !strings.Contains(err.Error(), "https://parley.example.com") {
			t.Errorf("it does not say where to go: %v", err)
		}
	}
}
