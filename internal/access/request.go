package access

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// maxKey is more than any key needs, and less than an index can hold.
const maxKey = 1000

// CheckKey refuses what cannot be the key of a request.
func CheckKey(key string) error {
	if len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return parley.Errorf(parley.Invalid, "The key is not a text of at most %d bytes.", maxKey)
	}
	return nil
}

// ErrUsed is the cause of every refusal of a key that stands for something else.
var ErrUsed = errors.New("the key stands for something else")

// ErrKeyUsed refuses a key that stands for something else.
func ErrKeyUsed(key string) error {
	return parley.Errorf(parley.Conflict, "The key %s was used for something else.", parley.Quote(key)).
		WithHint("Use a new key for a new request, and an old key only to repeat a request exactly.").WithCause(ErrUsed)
}

// Repeated reports whether the caller's request was carried out before, under the
// same key, and what it made then. Otherwise the key is taken in this
// transaction: it belongs to what the transaction does, and is free again if
// that fails. A caller that gave no key never repeats.
func (c Caller) Repeated(tx *store.Tx, about string, args ...any) (made int64, repeated bool, err error) {
	if c.Key == "" {
		return 0, false, nil
	}
	// A digest, since what is asked for may hold words that are redacted later.
	asked := store.Request{Agent: c.Agent, Key: c.Key, About: parley.CallDigest("request", fmt.Sprintf(about, args...))}
	first, found, err := tx.TakeKey(asked)
	if err == nil && !first && found.About != asked.About {
		err = ErrKeyUsed(c.Key)
	}
	return found.Made, !first, err
}

// Made notes what the caller's request has made, for when it is repeated.
func (c Caller) Made(tx *store.Tx, id int64) {
	if c.Key != "" {
		tx.SetMade(c.Agent, c.Key, id)
	}
}
