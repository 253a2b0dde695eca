package gate

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"parley"
)

// checkWay refuses requests that come on a way that is not ours.
//
// A web page of another site can make a browser send requests to a server on this
// machine: it changes the address of its own name after it was loaded (DNS rebinding).
// So the host name of a request has to be one of ours.
func (g *Gate) checkWay(r *http.Request) error {
	if g.cfg.ProxiesOnly && r.TLS == nil && !g.fromProxy(r) {
		return parley.Errorf(parley.Denied, "This hub is reached at %s.", g.cfg.PublicURL)
	}
	if !g.ourName(r.Host) {
		return parley.Errorf(parley.Denied, "This hub does not answer to the name %q.", parley.Clip(r.Host, 80)).
			WithHint("Use 127.0.0.1, localhost, the host that the hub listens on, or that of public_url in parley.yaml.")
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		if !follows(r) {
			return errCrossSite()
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.ourOrigin(origin, r.Host) {
		return errCrossSite()
	}
	return nil
}

// follows reports whether somebody follows a link of another site to a page of ours, in
// a window of its own. That changes nothing, and the other site cannot read it.
func follows(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// FromOwnPage reports whether a browser says that a page of ours makes the request.
// Whatever a cookie allows to change needs this: browsers always say it then.
func (g *Gate) FromOwnPage(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin := r.Header.Get("Origin")
	return origin != "" && g.ourOrigin(origin, r.Host)
}

// Secure reports whether a request was encrypted on its way from the caller: by us, or
// by a proxy of ours that says so, or whose public address the caller used.
func (g *Gate) Secure(r *http.Request) bool {
	public := g.cfg.PublicURL
	if r.TLS != nil || public == nil || public.Scheme != "https" || !g.fromProxy(r) {
		return r.TLS != nil
	}
	return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") || strings.EqualFold(r.Host, public.Host)
}

func errCrossSite() *parley.Error {
	return parley.Errorf(parley.Denied, "Requests from other web sites are refused.")
}

// ourOrigin accepts the host of the request, and the public address, which a proxy may
// have replaced in the request.
func (g *Gate) ourOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	public := g.cfg.PublicURL
	return strings.EqualFold(u.Host, host) || public != nil && u.Scheme == public.Scheme && strings.EqualFold(u.Host, public.Host)
}

// ourName accepts this machine, the host that we listen on, and our public names. If we
// listen on all interfaces, it accepts any IP address: only names can be rebound.
func (g *Gate) ourName(host string) bool {
	name := bareHost(host)
	switch {
	case name == "":
		return false
	case strings.EqualFold(name, "localhost"), strings.EqualFold(name, g.cfg.Host):
		return true
	case g.cfg.PublicURL != nil && strings.EqualFold(name, g.cfg.PublicURL.Hostname()):
		return true
	case g.cfg.Names != nil && g.cfg.Names(name):
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (ip.IsLoopback() || g.everywhere())
}

// bareHost is a host without its port.
func bareHost(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// everywhere reports whether the server listens on all interfaces.
func (g *Gate) everywhere() bool {
	ip, err := netip.ParseAddr(g.cfg.Host)
	return g.cfg.Host == "" || err == nil && ip.IsUnspecified()
}

// fromProxy reports whether a request came from one of the proxies, or from this
// machine.
func (g *Gate) fromProxy(r *http.Request) bool {
	from, ok := parseAddr(r.RemoteAddr)
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && (from.IsLoopback() || g.isProxy(from) || local != nil && sameAddr(from, local.String()))
}

func (g *Gate) isProxy(a netip.Addr) bool {
	return slices.ContainsFunc(g.cfg.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// source is where a request comes from: an address, or for IPv6 the network that one
// subscriber has. A proxy of ours says for whom it speaks; what others say is not
// believed.
func (g *Gate) source(r *http.Request) netip.Prefix {
	from, ok := parseAddr(r.RemoteAddr)
	if !ok {
		return netip.Prefix{}
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(said) - 1; i >= 0 && g.isProxy(from); i-- {
		before, ok := parseAddr(strings.TrimSpace(said[i]))
		if !ok {
			break
		}
		from = before
	}
	bits := 32
	if from.Is6() {
		bits = 64
	}
	p, _ := from.Prefix(bits) // both sizes fit
	return p
}

// parseAddr reads an address with or without a port.
func parseAddr(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(bareHost(s))
	return a.Unmap().WithZone(""), err == nil
}

func sameAddr(a netip.Addr, other string) bool {
	b, ok := parseAddr(other)
	return ok && a == b
}
