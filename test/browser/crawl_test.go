package browser

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

func encode(name, value string) string { return url.Values{name: {value}}.Encode() }

func encodePath(s string) string { return url.PathEscape(strings.ReplaceAll(s, "/", "-")) }

var links = regexp.MustCompile(`href="(/[^"]*)"`)

// alike are addresses of one view: ids and names differ.
func alike(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	parts := strings.Split(u.Path, "/")
	kind := "/" + parts[1]
	switch {
	case kind == "/agents" && len(parts) > 3:
		kind += "/*/" + strings.Join(parts[3:], "/")
	case kind == "/c":
		kind = u.Path // each has other texts
	default:
		kind += strings.Repeat("/*", len(parts)-2)
		if len(parts) > 3 {
			kind += parts[len(parts)-1]
		}
	}
	for name := range u.Query() {
		kind += "?" + name
	}
	return kind
}

// crawl follows the links from home and returns the addresses of all views that they lead
// to, so many of each kind at most. A new view is found without being named here.
func (w *world) crawl(each int) (found []string) {
	w.Helper()
	c := w.visitor()
	kinds, seen := map[string]int{}, map[string]bool{}
	for next := []string{"/", "/you", "/you/nowhere", "/talk", "/approvals"}; len(next) > 0; next = next[1:] {
		path, _, _ := strings.Cut(next[0], "#")
		if seen[path] || strings.HasPrefix(path, "/static/") || kinds[alike(path)] == each {
			continue
		}
		seen[path] = true
		resp, err := c.Get(w.url + path)
		if err != nil {
			w.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			w.Fatal(err)
		}
		if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			continue
		}
		if resp.StatusCode >= http.StatusInternalServerError {
			w.Errorf("%s: %s", path, resp.Status)
		}
		kinds[alike(path)]++
		found = append(found, path)
		for _, m := range links.FindAllStringSubmatch(string(body), -1) {
			next = append(next, html.UnescapeString(m[1]))
		}
	}
	slices.Sort(found)
	return found
}
