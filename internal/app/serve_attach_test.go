package app_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"parley"
)

// A browser attaches as long a file as the page says that it may, through everything that
// stands between the two.
func TestABrowserAttachesALongFile(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	link, err := r.client().CreateLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(path, kind string, body io.Reader) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Origin", r.URL)
		if path != "/signin" {
			req.Header.Set("Parley-Fetch", "1")
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.Body.Close() != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	form := url.Values{"code": {strings.TrimPrefix(link.Path, "/signin?code=")}, "next": {"/static/none"}}
	post("/signin", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	send := func(size int) (int, string) {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", "long.csv")
		if err == nil {
			_, err = part.Write(bytes.Repeat([]byte("1,2\n"), size/4))
		}
		if err != nil || form.WriteField("place", "@DataBot") != nil || form.WriteField("how", "notify") != nil || form.Close() != nil {
			t.Fatal(err)
		}
		return post("/say", form.FormDataContentType(), &body)
	}
	if status, said := send(3_500_000); status != http.StatusOK {
		t.Errorf("3.5 MB: %d %s", status, said)
	}
	if status, said := send(parley.AttachmentBytes + 100); status != http.StatusTooManyRequests || !strings.Contains(said, "4 MiB") {
		t.Errorf("too long: %d %s", status, said)
	}
}
