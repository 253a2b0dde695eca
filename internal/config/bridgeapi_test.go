package config

import (
	"strings"
	"testing"

	"parley"
)

// Keys are sent to the address of a chat program, so nobody may read along on the way.
func TestTheAddressOfAChatProgram(t *testing.T) {
	for address, accepted := range map[string]bool{
		"https://api.example.com/": true, "http://127.0.0.1:8081": true, "http://localhost:8081/api": true, "http://[::1]:8081": true,
		"http://api.example.com": false, "http://10.0.0.7:8081": false, "http://127.0.0.1.example.com": false, "http://localhost.example.com": false,
	} {
		_, err := loadNotify(t, "bridges: {telegram: {api: '"+address+"'}}")
		if refused := err != nil && strings.Contains(parley.Public(err), "begins with https://"); refused == accepted || accepted && err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
