// Package session signs people in with browsers. A person opens a link that works once,
// or gives a token; the browser then has a session, whose secret is in a cookie.
//
// Secrets are 256 random bits. The store has only their SHA-256, so that somebody who
// reads the database can neither use a link nor a session. A session ends when somebody
// ends it, when it was not used for parley.SessionIdle, when its owner is taken out of
// the team, and with the token that it comes from.
package session

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/store"
	"parley/internal/token"
)

const (
	// bits is the randomness of a secret, in bytes.
	bits = 256 / 8
	// linkTime is how long a link can be opened.
	linkTime = 10 * time.Minute
	// linkKept is how long one can be told that a link has been used, or is too old.
	linkKept = 24 * time.Hour
	// longestBrowser is how much of a browser's name is kept.
	longestBrowser = 80
)

func newSecret() string {
	secret := make([]byte, bits)
	_, _ = rand.Read(secret) // never fails; the program would crash instead
	return base64.RawURLEncoding.EncodeToString(secret)
}

// wellFormed reports whether s could be a secret of ours.
func wellFormed(s string) bool { return len(s) == base64.RawURLEncoding.EncodedLen(bits) }

// Use is a session that was presented, with its owner.
type Use struct {
	Session parley.Session
	Owner   parley.Agent
	At      parley.Micros
}

// Look finds out whose a session is, in one statement. If it cannot be used the error
// is of kind Unauthentic.
func Look(ctx context.Context, st store.Store, secret string) (u Use, err error) {
	if !wellFormed(secret) {
		return Use{}, ErrEnded()
	}
	err = st.View(ctx, func(tx *store.Tx) (err error) {
		u.Session, u.Owner, err = tx.SessionOwner(token.Hash(secret))
		u.At = tx.Now
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Use{}, ErrEnded()
	}
	return u, err
}

// RuleUnknown is the rule that a code breaks which never was one.
const RuleUnknown = "unknown_link"

// newLink says how to get a link.
const newLink = "Make a new one with: parley up --open"

func errUnknown() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This link is not known here.").WithRule(RuleUnknown).WithHint(newLink)
}

func errUsed() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This link has been used. Each opens the page once.").WithHint(newLink)
}

func errExpired() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This link has expired. Each can be opened for %d minutes.", int(linkTime.Minutes())).WithHint(newLink)
}

// errRevoked refuses a link whose token was revoked before somebody opened it.
func errRevoked() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This link has ended with the token that it was made with.").WithHint(newLink)
}

func errAgent(name string) *parley.Error {
	return parley.Errorf(parley.Denied, "This is the token of %s, which is an agent. The page is for people.", name).WithHint("Use the token of a person.")
}

// ErrElsewhere refuses somebody whom another hub of the same database knows, but not
// this one.
func ErrElsewhere() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "You are not in the files of this hub.").WithHint("Use a hub that has you.")
}

// ErrEnded refuses a session that has ended, or never was one. A browser cannot tell
// these apart either.
func ErrEnded() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "You are not signed in here.").WithHint("Open a link of parley up --open, or sign in with your token.")
}

// browserLine makes one line of what a browser calls itself. Anybody can put anything there.
func browserLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return parley.Clip(strings.Join(strings.Fields(s), " "), longestBrowser)
}
