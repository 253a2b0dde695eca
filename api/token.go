package api

import "time"

// TokenRequest asks for a token.
type TokenRequest struct {
	For       string  `json:"for" maxLength:"64" doc:"Who is to have it: a client agent or a person of the team."`
	Label     string  `json:"label,omitempty" maxLength:"80" doc:"What it is for, for people."`
	ExpiresIn float64 `json:"expires_in,omitempty" minimum:"0" maximum:"3153600000" doc:"After how many seconds it ends; never if left out."`
}

// Token is a token without its secret.
type Token struct {
	ID        string     `json:"id" doc:"Such as token-7."`
	For       string     `json:"for" doc:"Whose it is."`
	Label     string     `json:"label,omitempty" doc:"What it is for."`
	State     string     `json:"state" enum:"valid,expired,revoked,removed" doc:"Whether it can be used; removed if its owner is no longer in the team."`
	Created   time.Time  `json:"created" doc:"When it was made."`
	CreatedBy string     `json:"created_by,omitempty" doc:"Who made it; left out if the hub did, for its own command line."`
	Expires   *time.Time `json:"expires,omitempty" doc:"When it ends; left out if never."`
	Used      *time.Time `json:"used,omitempty" doc:"When it was last used, give or take some minutes; left out if never."`
	Revoked   *time.Time `json:"revoked,omitempty" doc:"When it was revoked."`
	RevokedBy string     `json:"revoked_by,omitempty" doc:"Who revoked it."`
}

// NewToken is a token that was just made. Nobody can read its secret again.
type NewToken struct {
	Token
	Secret string `json:"token" doc:"The token itself. It is shown only here."`
}

// TokenList is a list of tokens.
type TokenList struct {
	Tokens []Token `json:"tokens" doc:"By id."`
}

// PersonRequest adds a person to a team.
type PersonRequest struct {
	Name string `json:"name" maxLength:"64" doc:"The person's name, which nobody else in the team has."`
}
