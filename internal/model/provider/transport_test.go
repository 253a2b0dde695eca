package provider

import (
	"net/http"
	"testing"
)

// A redirect gets no key at another place, nor at the same one in the clear.
func TestWhereAKeyGoes(t *testing.T) {
	for _, kind := range Kinds() {
		to := NewClient(Provider{Kind: kind, BaseURL: "https://api.example.com/v1"}, "sk-4711").Transport.(*transport)
		for url, want := range map[string]bool{
			"https://api.example.com/v1/x": true, "https://api.example.com/other": true,
			"http://api.example.com/v1/x": false, "https://example.com/v1/x": false, "https://api.example.com:8443/v1/x": false,
		} {
			req, err := http.NewRequest(http.MethodPost, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer of-the-library")
			to.authorize(req)
			if got := len(req.Header) > 0; got != want {
				t.Errorf("%s at %s: %v", kind, url, req.Header)
			}
		}
	}
}
