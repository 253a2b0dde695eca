package config

import (
	"strings"
	"testing"

	"parley"
)

// Whatever parley.yaml says, it is read, or refused with a line. How people are told is
// then one command or one address, with a secret to sign and no password in it.
func FuzzTeamFile(f *testing.F) {
	for _, seed := range []string{
		"", "team: main", "notify_command: notify-send", "notify_command: [a, '']", "notify:\n- url: https://example.org/x\n  secret_env: HOOK\n  for: [mail]\n  people: [Ada]",
		"notify: [{url: 'http://10.0.0.1', secret_env: S, private: true}]", "notify: [{command: x, url: 'https://a'}]", "notify: {command: x}", "notify: [[]]",
		"notify: [{url: 'https://a:b@c', secret_env: S}]", "notify: [{url: 'https://[::1', secret_env: ''}]", "notify: &a [*a]", "people: [Ada, ada]",
		"listen: 0.0.0.0:1\npublic_url: https://x", "tls: {certificate: a, key: b}", "client_lease: -5m", "limits: {rate: 1e99}", "model: {}", "mcp_servers: {a: {url: '::'}}", "notify: [{for: []}]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		team, err := parseTeam(plainLines(text), nil, "/team")
		if err != nil {
			if parley.KindOf(err) != parley.Invalid || team != nil {
				t.Fatalf("%q: %v, %v", text, team, err)
			}
			return
		}
		for _, n := range team.Notify {
			hook := n.URL != ""
			if hook == (len(n.Command) > 0) || hook && (n.SecretEnv == "" || strings.HasPrefix(n.URL, "http:") && !n.Private) {
				t.Fatalf("%q: %+v", text, n)
			}
		}
	})
}
