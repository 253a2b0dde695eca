package client

import (
	"cmp"
	"os"

	"parley"
)

// The environment variables that programs read.
const (
	EnvURL   = "PARLEY_URL"
	EnvToken = "PARLEY_TOKEN"
)

// localHub is where a hub listens if nothing else is set.
const localHub = "http://127.0.0.1:7420"

// FromEnv makes a client of the hub at PARLEY_URL, or else of the one on this machine.
// PARLEY_TOKEN says who you are. PARLEY_INSECURE=1 allows the token to go unencrypted to
// another machine.
func FromEnv() (*Client, error) {
	token := os.Getenv(EnvToken)
	if token == "" {
		return nil, parley.Errorf(parley.Unauthentic, "%s is not set.", EnvToken).
			WithHint("Make a token with: parley token create NAME")
	}
	c := New(cmp.Or(os.Getenv(EnvURL), localHub), token)
	c.Insecure = os.Getenv(EnvInsecure) == "1"
	return c, nil
}
