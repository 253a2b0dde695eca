package config

import (
	"net/netip"
	"net/url"
	"strings"

	"parley/internal/yamlfile"
)

// TLS names the files with which the hub encrypts what goes over the network. Both are
// absolute, and empty if the hub does not.
type TLS struct{ Certificate, Key string }

// On reports whether there is a certificate.
func (t TLS) On() bool { return t.Certificate != "" }

// Door is what one token, or one address, may do at the doors. Zero leaves it to the
// hub.
type Door struct {
	// Body and Header are sizes of a request in bytes.
	Body, Header int
	// Streams is how many requests of a token may be open at once.
	Streams int
	// Requests is how many a token may make in a second.
	Requests int
	// Failures is how many wrong tokens an address may send before it has to pause.
	Failures int
}

func doorKeys(t *Team) []yamlfile.Key {
	return []yamlfile.Key{
		{Name: "tls", Read: tlsInto(&t.TLS)},
		{Name: "public_url", Read: publicInto(&t.PublicURL)},
		{Name: "proxies", Read: prefixesInto(&t.Proxies)},
		{Name: "door", Read: doorInto(&t.Door)},
	}
}

func tlsInto(dst *TLS) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		_, found := v.Fields([]yamlfile.Key{
			{Name: "certificate", Read: textInto(&dst.Certificate)},
			{Name: "key", Read: textInto(&dst.Key)},
		})
		if found == nil && (dst.Certificate == "" || dst.Key == "") {
			found = v.Wrong("Expected two files, such as {certificate: hub.crt, key: hub.key}.")
		}
		return found
	}
}

func doorInto(dst *Door) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		_, found := v.Fields([]yamlfile.Key{
			{Name: "body", Read: sizeInto(&dst.Body, 64<<10, 1<<30)},
			{Name: "header", Read: sizeInto(&dst.Header, 4<<10, 1<<20)},
			{Name: "streams", Read: integerInto(&dst.Streams, 1, 100_000)},
			{Name: "requests", Read: integerInto(&dst.Requests, 1, 1_000_000)},
			{Name: "failures", Read: integerInto(&dst.Failures, 1, 1_000_000)},
		})
		return found
	}
}

// publicInto accepts the address at which others reach the hub. It has no path: the hub
// answers at the root only.
func publicInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			return v.Wrong("Expected the hub's address as others see it, such as https://parley.example.com, without a path.")
		}
		*dst = "https://" + u.Host
		return nil
	}
}

// prefixesInto accepts a list of IP addresses and networks.
func prefixesInto(dst *[]netip.Prefix) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var words []string
		found := wordsInto(&words)(v)
		for _, word := range words {
			p, ok := parsePrefix(word)
			if !ok {
				found = append(found, v.Wrong("Expected IP addresses or networks, such as 10.0.0.5 or 10.1.0.0/16, not %q.", word)...)
			}
			*dst = append(*dst, p)
		}
		return found
	}
}

func parsePrefix(s string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(s)
	return p.Masked(), err == nil
}
