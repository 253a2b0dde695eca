package gate

import (
	"crypto/sha256"
	"sync"

	"parley/internal/token"
)

// remembered are tokens that were found in the store, so that the requests which follow
// need not look for them. There are some only while signals are heard, and only where
// nobody else can end a token: the signal of its end is then heard before whoever ended
// it is answered. A token with an end of its own is not among them.
type remembered struct {
	mu     sync.RWMutex
	tokens map[digest]token.Use // nil while nothing may be remembered
	// heard counts the signals about tokens.
	heard int64
}

// digest is of the secret, which is kept nowhere.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// mostRemembered bounds the memory; when there are more, all are looked for again.
const mostRemembered = 10_000

// begin is called when signals are heard. What was looked for before is not remembered: it
// may have ended unheard.
func (r *remembered) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard++
	r.tokens = map[digest]token.Use{}
}

func (r *remembered) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens = nil
}

// find returns what is remembered, and the signals heard so far: keep wants that number.
func (r *remembered) find(d digest) (use token.Use, found bool, heard int64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	use, found = r.tokens[d]
	return use, found, r.heard
}

// keep remembers a token that was looked for after find. If a signal has come since, it may
// have ended meanwhile.
func (r *remembered) keep(d digest, use token.Use, heard int64) {
	if use.Token.ExpiresAt != 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens == nil || r.heard != heard {
		return
	}
	if len(r.tokens) >= mostRemembered {
		clear(r.tokens)
	}
	r.tokens[d] = use
}

// signal forgets all tokens, since one of them may have ended.
func (r *remembered) signal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard++
	clear(r.tokens)
}

func (r *remembered) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.tokens)
}

// signals is how many were heard so far.
func (r *remembered) signals() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.heard
}
