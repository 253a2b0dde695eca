package app

import (
	"net"
	"net/netip"
	"net/url"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/gate"
)

// openDoor opens the port. Other machines can only reach the hub if what they send is
// encrypted, by the hub or by a proxy before it: otherwise anybody on the way could read
// their tokens.
func openDoor(cfg ServeConfig) (net.Listener, *gate.Certificate, error) {
	var certificate *gate.Certificate
	if t := cfg.Team.TLS; t.On() {
		var err error
		if certificate, err = gate.LoadCertificate(t.Certificate, t.Key, cfg.Log); err != nil {
			return nil, nil, err
		}
	}
	l, err := listen(cfg.Listen)
	if err != nil {
		return nil, nil, err
	}
	if err := CheckDoor(cfg.Team, l.Addr().String()); err != nil {
		_ = l.Close()
		return nil, nil, err
	}
	if certificate != nil {
		l = gate.Encrypt(l, certificate.Config())
	}
	return l, certificate, nil
}

// CheckDoor refuses an address that other machines reach, if what they send would not
// be encrypted.
func CheckDoor(team *config.Team, address string) error {
	if team.TLS.On() || !elsewhere(address) {
		return nil
	}
	if team.PublicURL != "" && len(team.Proxies) > 0 {
		return nil
	}
	err := parley.Errorf(parley.Invalid, "Other machines could reach the hub at %s, and what they send would not be encrypted.", address)
	if team.PublicURL != "" {
		return err.WithHint("Name the addresses of the proxy for %s in parley.yaml, such as proxies: [10.0.0.5].", team.PublicURL)
	}
	return err.WithHint("Listen on 127.0.0.1, or give the hub a certificate in parley.yaml with tls: {certificate: hub.crt, key: hub.key}, " +
		"or name the proxy before it with public_url: https://… and proxies: [ADDRESS].")
}

// elsewhere reports whether other machines can reach an address.
func elsewhere(address string) bool {
	if a, err := netip.ParseAddrPort(address); err == nil {
		return !a.Addr().Unmap().IsLoopback()
	}
	host := hostOf(address)
	return host != "localhost"
}

// publicAddress is where other machines reach the hub; empty if they cannot.
func (s *serving) publicAddress() string {
	if s.cfg.Team.PublicURL != "" || s.certificate == nil {
		return s.cfg.Team.PublicURL
	}
	host := hostOf(s.cfg.Listen)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = s.certificate.Host()
	}
	_, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil || host == "" {
		return ""
	}
	return "https://" + net.JoinHostPort(host, port)
}

// newGate makes what requests pass first.
func (s *serving) newGate() *gate.Gate {
	team := s.cfg.Team
	cfg := gate.Config{
		Store: s.store, Log: s.cfg.Log, Host: hostOf(s.cfg.Listen), Known: s.hub.knows, Proxies: team.Proxies,
		ProxiesOnly: s.certificate == nil && elsewhere(s.listener.Addr().String()),
		Limits:      gate.Limits{Streams: team.Door.Streams, Requests: team.Door.Requests, Failures: team.Door.Failures},
	}
	if team.PublicURL != "" {
		cfg.PublicURL, _ = url.Parse(team.PublicURL) // checked with the files
	}
	if s.certificate != nil {
		cfg.Names = s.certificate.Names
	}
	return gate.New(cfg)
}

// knows reports whether the files of this hub have a participant. On a database that
// several hubs share, somebody who was removed here may still be in the files of
// another hub; and this one would not know the rules for somebody who is only there.
func (h *Hub) knows(id parley.AgentID) bool {
	e, ok := h.Directory.Entry(id)
	return ok && !e.Retired
}

// CheckCertificate reads the files of a certificate and says when it ends.
func CheckCertificate(t config.TLS) (ends time.Time, err error) {
	pair, err := gate.ReadCertificate(t.Certificate, t.Key)
	if err != nil || pair.Leaf == nil {
		return time.Time{}, err
	}
	return pair.Leaf.NotAfter, nil
}
