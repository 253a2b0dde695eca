// Package token makes and recognises the tokens by which doors know who calls. A
// token is 256 random bits after a prefix that secret scanners and people recognise.
// The store has only its SHA-256: with that many random bits nothing slower is
// needed, and somebody who reads the database cannot impersonate anybody.
package token

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"parley"
	"parley/internal/store"
)

// Prefix begins every token.
const Prefix = "parley_"

// bits is the randomness of a token, in bytes.
const bits = 256 / 8

// New makes a token.
func New() string {
	secret := make([]byte, bits)
	_, _ = rand.Read(secret) // never fails; the program would crash instead
	return Prefix + base64.RawURLEncoding.EncodeToString(secret)
}

// Hash is the form in which a token is stored and looked up. The duration of a lookup
// reveals nothing: similar tokens do not have similar hashes.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// wellFormed reports whether s could be a token.
func wellFormed(s string) bool {
	secret, found := strings.CutPrefix(s, Prefix)
	return found && len(secret) == base64.RawURLEncoding.EncodedLen(bits)
}

// Issue makes a token for a participant, as a hub does for its own command line. The
// returned text exists nowhere else.
func Issue(ctx context.Context, st store.Store, to parley.AgentID) (string, error) {
	secret := New()
	err := st.Update(ctx, func(tx *store.Tx) error {
		tx.InsertToken(Hash(secret), parley.Token{Agent: to})
		return nil
	})
	return secret, err
}

// Use is a token that was presented, with its owner.
type Use struct {
	Token parley.Token
	Owner parley.Agent
	At    parley.Micros
}

// Look finds out whose a token is, in one statement. If the token cannot be used the
// error is of kind Unauthentic. Whoever has a token may know that it has expired or
// was revoked; all others are told the same.
func Look(ctx context.Context, st store.Store, secret string) (u Use, err error) {
	if !wellFormed(secret) {
		return Use{}, errUnknown()
	}
	err = st.View(ctx, func(tx *store.Tx) (err error) {
		u.Token, u.Owner, err = tx.TokenOwner(Hash(secret))
		u.At = tx.Now
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Use{}, errUnknown()
	case err != nil:
		return Use{}, err
	}
	return u, u.check()
}

// First stores that a token is in use, before its first request is served: from then on
// nobody can give it another secret. If that happened in this moment, the token is not known
// any more.
func (u *Use) First(ctx context.Context, st store.Store, secret string) error {
	err := st.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockToken(u.Owner.Team, u.Token.ID); err != nil {
			return err
		}
		now, owner, err := tx.TokenOwner(Hash(secret)) // as it is now that it is locked
		if err != nil {
			return err
		}
		u.Token, u.Owner, u.At = now, owner, tx.Now
		if now.UsedAt == 0 {
			tx.SetTokenUsed(now.ID, tx.Now)
			u.Token.UsedAt = tx.Now
		}
		return nil
	})
	if errors.Is(err, store.ErrNotFound) {
		return errUnknown()
	}
	if err != nil {
		return err
	}
	return u.check()
}

func (u Use) check() error {
	switch {
	case u.Token.RevokedAt != 0:
		return ErrRevoked()
	case !u.Token.Valid(u.At):
		return ErrExpired()
	case u.Owner.Removed:
		return ErrGone()
	}
	return nil
}

// HowTo says how to get a token.
const HowTo = "A person of the team makes one with: parley token create NAME, or for an agent program: parley join NAME"

// RuleUnknown is the rule that a token breaks which never was one.
const RuleUnknown = "unknown_token"

func errUnknown() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This token is not known here.").WithRule(RuleUnknown).WithHint("%s", HowTo)
}

// ErrRevoked refuses a token that somebody has revoked.
func ErrRevoked() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This token was revoked.").WithHint("%s", HowTo)
}

// ErrExpired refuses a token whose time is over.
func ErrExpired() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This token has expired.").WithHint("%s", HowTo)
}

// ErrElsewhere refuses a token whose owner another hub of the same database knows, but
// not this one.
func ErrElsewhere() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "The owner of this token is not in the files of this hub.").WithHint("Use a hub that has them.")
}

// ErrGone refuses a token whose owner is no longer in the team's files.
func ErrGone() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "The owner of this token is no longer in the team.")
}
