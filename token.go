package parley

import "strconv"

// TokenID numbers a token. It is no secret: the token itself is stored nowhere.
type TokenID int64

func (id TokenID) String() string { return "token-" + strconv.FormatInt(int64(id), 10) }

// ParseTokenID reads token-7; the bare number is accepted too.
func ParseTokenID(s string) (TokenID, error) {
	n, err := parseID(s, "token-")
	return TokenID(n), err
}

// Token is what the hub knows of a token by which somebody calls from outside. Its
// team is that of its owner.
type Token struct {
	ID    TokenID
	Agent AgentID // whose it is
	Label string  // for people
	// CreatedBy is 0 for the token that a hub makes for its own command line.
	CreatedBy AgentID
	CreatedAt Micros
	ExpiresAt Micros // 0: never
	// UsedAt is when it was last used, give or take some minutes; 0: never.
	UsedAt    Micros
	RevokedAt Micros // 0: it is not
	RevokedBy AgentID
}

// Valid reports whether the token can be used, as far as the token itself goes.
func (t Token) Valid(now Micros) bool {
	return t.RevokedAt == 0 && (t.ExpiresAt == 0 || now < t.ExpiresAt)
}

// Name is the id with the label, for the record.
func (t Token) Name() string {
	if t.Label == "" {
		return t.ID.String()
	}
	return t.ID.String() + " (" + t.Label + ")"
}

// LookHeader is the HTTP header of a request that only looks whether an agent's way to the
// hub works. It does not count as the agent being connected.
const LookHeader = "Parley-Look"
