package gate

import "testing"

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
