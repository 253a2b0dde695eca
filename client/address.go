package client

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"parley"
)

// EnvInsecure is the variable that, set to 1, allows a token to go unencrypted over a
// network.
const EnvInsecure = "PARLEY_INSECURE"

// CheckAddress refuses the address of a hub to which a token would go unencrypted over a
// network, where others could read it. On this machine nobody can.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || strings.EqualFold(u.Scheme, "https") || onThisMachine(u) {
		return nil // what is no address is refused when it is called
	}
	return parley.Errorf(parley.Denied, "The token would go to %s unencrypted, so that others on the way could read it.", u.Host).
		WithHint("Use https. In a network that you trust, set %s=1.", EnvInsecure)
}

// OnThisMachine reports whether an address is one of this machine.
func OnThisMachine(address string) bool {
	u, err := url.Parse(address)
	return err == nil && onThisMachine(u)
}

func onThisMachine(u *url.URL) bool {
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	host, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return false // a name may lead anywhere
	}
	host = host.WithZone("").Unmap()
	return host.IsLoopback() || ownAddress(host)
}

// ownAddress reports whether an interface of this machine has an address.
func ownAddress(host netip.Addr) bool {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == host {
			return true
		}
	}
	return false
}
