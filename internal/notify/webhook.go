package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"
)

// The headers of a post. The signature is the HMAC-SHA256 of the timestamp, a dot and the
// body, in hex.
const (
	HeaderID        = "Parley-Id"
	HeaderTimestamp = "Parley-Timestamp"
	HeaderSignature = "Parley-Signature"
)

// webhook posts notices to an address.
type webhook struct {
	url, secretEnv string
	client         *http.Client
}

func newWebhook(t Target) *webhook {
	dialer := &net.Dialer{}
	if !t.Private {
		// The check is made for the address that the connection goes to, after the name
		// was looked up: what a name stood for earlier does not matter.
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return checkPublic(address) }
	}
	return &webhook{url: t.URL, secretEnv: t.SecretEnv, client: &http.Client{
		// No proxy: behind one, nobody could say where the connection goes.
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (w *webhook) send(ctx context.Context, id string, body []byte) error {
	secret := os.Getenv(w.secretEnv)
	if secret == "" {
		return fmt.Errorf("the environment variable %s is not set", w.secretEnv)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be used")
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "parley")
	req.Header.Set(HeaderID, id)
	req.Header.Set(HeaderTimestamp, now)
	req.Header.Set(HeaderSignature, Sign(secret, now, body))
	resp, err := w.client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the receiver can finish
	return judge(resp.StatusCode)
}

// Sign is the signature of a body that is sent at a time, in seconds since 1970.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(timestamp + "."))
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// judge says what a response means. Some refusals pass by themselves, so they are not
// about this notice.
func judge(status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return refused("the receiver answered %d; redirects are not followed", status)
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests, status >= 500:
		return fmt.Errorf("the receiver answered %d", status)
	}
	return refused("the receiver answered %d", status)
}

// withoutURL leaves the address out of an error: it may hold a key.
func withoutURL(err error) error {
	var failed *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the receiver did not answer in time")
	case errors.As(err, &failed):
		return failed.Err
	}
	return err
}

// errPrivate says that an address is not one of the public internet.
var errPrivate = errors.New("the address is private; private: true in parley.yaml allows it")

func checkPublic(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errPrivate
	}
	return nil
}

// reserved are ranges that are not the public internet, though netip does not say so.
// Some of them carry an IPv4 address, which may be any.
var reserved = func() (list []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}()

func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}
