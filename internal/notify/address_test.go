package notify

import (
	"net/netip"
	"testing"
)

// Only addresses of the public internet are connected to without leave. Those that carry
// an IPv4 address count as that, or not at all.
func TestPublicAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.215.14:443": true, "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443": true, "8.8.8.8:1": true,
		"127.0.0.1:80": false, "[::1]:80": false, "10.1.2.3:80": false, "172.16.0.1:80": false, "172.32.0.1:80": true,
		"192.168.1.1:80": false, "169.254.169.254:80": false, "100.64.0.1:80": false, "0.0.0.0:80": false, "[::]:80": false,
		"[fd00::1]:80": false, "[fe80::1%eth0]:80": false, "[::ffff:127.0.0.1]:80": false, "[::ffff:8.8.8.8]:80": true,
		"[64:ff9b::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "[::127.0.0.1]:80": false, "[2001:0:1::1]:80": false,
		"224.0.0.1:80": false, "[ff02::1]:80": false, "255.255.255.255:80": false, "198.18.0.1:80": false, "192.0.2.1:80": false,
		"localhost:80": false, "": false,
	} {
		if got := checkPublic(address) == nil; got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
	if !public(netip.MustParseAddr("1.1.1.1")) {
		t.Error("1.1.1.1")
	}
}
