package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// signin FILE opens the link in a file with a browser and presses the button.
func cmdSignin(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: signin FILE")
	}
	words := strings.Fields(ts.ReadFile(args[0]))
	link, err := url.Parse(words[len(words)-1])
	ts.Check(err)
	form := url.Values{"code": {link.Query().Get("code")}}
	link.RawQuery = ""
	r, err := http.NewRequest(http.MethodPost, link.String(), strings.NewReader(form.Encode()))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+link.Host)
	r.Header.Set("User-Agent", "Testfox")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if in := resp.StatusCode == http.StatusSeeOther && len(resp.Cookies()) == 1; in == neg {
		ts.Fatalf("%s, %d cookies", resp.Status, len(resp.Cookies()))
	}
}

// appears FILE waits for a file.
func cmdAppears(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "appears FILE")
	poll(ts, func() error {
		if _, err := os.Stat(ts.MkAbs(args[0])); err != nil {
			return fmt.Errorf("%s is not there", args[0])
		}
		return nil
	})
}
