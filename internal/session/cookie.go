package session

import (
	"net"
	"net/http"

	"parley"
)

// Cookie keeps the secret of a session in a browser. Scripts cannot read it, and no
// request that another site causes carries it.
type Cookie struct {
	// Secure says that the browser's requests are encrypted.
	Secure bool
}

const (
	cookieName = "parley_session"
	// hostPrefix makes browsers insist that we have set the cookie ourselves, and not
	// another host of the same domain.
	hostPrefix = "__Host-"
)

// name has the port in it: cookies are common to all ports of a machine, and two hubs
// would sign each other's people out.
func (c Cookie) name(r *http.Request) string {
	name := cookieName
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "" {
		name += "_" + port
	}
	if c.Secure {
		return hostPrefix + name
	}
	return name
}

// Read is the secret that a request carries; empty if it has none.
func (c Cookie) Read(r *http.Request) string {
	if found, err := r.Cookie(c.name(r)); err == nil {
		return found.Value
	}
	return ""
}

// Write gives the browser a secret.
func (c Cookie) Write(w http.ResponseWriter, r *http.Request, secret string) {
	c.set(w, r, secret, int(parley.SessionIdle.Seconds()))
}

// Remove makes the browser forget it.
func (c Cookie) Remove(w http.ResponseWriter, r *http.Request) { c.set(w, r, "", -1) }

func (c Cookie) set(w http.ResponseWriter, r *http.Request, secret string, age int) {
	http.SetCookie(w, &http.Cookie{Name: c.name(r), Value: secret, Path: "/", MaxAge: age, HttpOnly: true, Secure: c.Secure, SameSite: http.SameSiteStrictMode})
}
