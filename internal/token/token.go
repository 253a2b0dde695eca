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

// Issue makes a token for a participant. The returned text exists nowhere else.
func Issue(ctx context.Context, st store.Store, to parley.AgentID) (string, error) {
	t := New()
	err := st.Update(ctx, func(tx *store.Tx) error {
		tx.InsertToken(Hash(t), to)
		return nil
	})
	return t, err
}

// Owner finds the owner of a token. If there is none the error is of kind
// Unauthentic, and the same for every wrong token.
func Owner(ctx context.Context, st store.Store, token string) (parley.Agent, error) {
	var owner parley.Agent
	if !wellFormed(token) {
		return owner, errUnknown()
	}
	err := st.View(ctx, func(tx *store.Tx) error {
		id, err := tx.TokenAgent(Hash(token))
		if err != nil {
			return err
		}
		owner, err = tx.Agent(id)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return parley.Agent{}, errUnknown()
	case err != nil:
		return parley.Agent{}, err
	case owner.Removed:
		return parley.Agent{}, parley.Errorf(parley.Unauthentic, "The owner of this token is no longer in the team.")
	}
	return owner, nil
}

func errUnknown() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "This token is not known here.").
		WithHint("The hub writes the token of its command line to hub.token in its data folder.")
}
