package parley

import (
	"strconv"
	"time"
)

// SessionIdle is after how long without use a browser is signed out.
const SessionIdle = 30 * 24 * time.Hour

// SessionID numbers the session of a browser. It is no secret.
type SessionID int64

func (id SessionID) String() string { return "session-" + strconv.FormatInt(int64(id), 10) }

// ParseSessionID reads session-7; the bare number is accepted too.
func ParseSessionID(s string) (SessionID, error) {
	n, err := parseID(s, "session-")
	return SessionID(n), err
}

// Session is a browser in which a person has signed in. Its team is that of its owner.
type Session struct {
	ID    SessionID
	Agent AgentID // whose it is
	// Token is the token that was used to sign in, or to make the link for it. The
	// session ends with it. 0 if the hub made the link by itself.
	Token     TokenID
	Browser   string // what the browser calls itself, as one line
	CreatedAt Micros
	// UsedAt is when it was last used, give or take a minute.
	UsedAt Micros
}

// ExpiresAt is when the session ends if it is not used.
func (s Session) ExpiresAt() Micros { return s.UsedAt.Add(SessionIdle) }

// SigninLink is what the hub knows of a link that signs a person in once. Its code is stored
// nowhere.
type SigninLink struct {
	Agent     AgentID // whom it signs in
	Token     TokenID // that it was made with
	ExpiresAt Micros
	UsedAt    Micros // 0: it was not
}
