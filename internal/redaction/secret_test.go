package redaction

import "testing"

func TestScrub(t *testing.T) {
	const mark = "[redacted by Ada]"
	for _, c := range []struct{ secret, text, want string }{
		{"The password is 1234.", "Response from B: The password is 1234. Good.", "Response from B: " + mark + " Good."},
		{"  The password is 1234.\n", "The password is 1234.", mark},
		{"yes", "yes", mark},
		{"yes", "Response from B: yes", "Response from B: " + mark},
		{"yes", "yesterday was yes-day", "yesterday was yes-day"},
		{"", "text", "text"},
	} {
		if got := newSecrets(c.secret).scrub(c.text, mark); got != c.want {
			t.Errorf("%q in %q: %q", c.secret, c.text, got)
		}
	}
}

func TestScrubJSON(t *testing.T) {
	s := newSecrets("a \"quoted\"\nsecret", "ask")
	for _, c := range []struct{ in, want string }{
		{`{"args":{"message":"Say: a \"quoted\"\nsecret!","n":12345678901234567890}}`, `{"args":{"message":"Say: X!","n":12345678901234567890}}`},
		{`{"action":"asking", "n": 1}`, `{"action":"asking", "n": 1}`},
		{`["ask"]`, `["X"]`},
		{"no json: a \"quoted\"\nsecret", "no json: X"},
	} {
		if got, _ := s.scrubJSON(c.in, "X"); got != c.want {
			t.Errorf("%s: %s", c.in, got)
		}
	}
}

// The longest is taken out first: else what is left of it around a shorter one
// would stay.
func TestALongSecretGoesBeforeOneThatItContains(t *testing.T) {
	s := newSecrets("password 1234", "the password 1234 of the vault", "vault")
	if got := s.scrub("It is the password 1234 of the vault.", "X"); got != "It is X." {
		t.Errorf("%q", got)
	}
}
