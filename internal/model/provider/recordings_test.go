package provider

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
)

// recording is one exchange with a real provider.
type recording struct {
	file   string
	format string
	url    *url.URL
	asked  string // the body of the request
	body   string // of the reply
	stream bool
}

// leftOut are the recordings that are not replayed, by what their address or
// their file's name contains.
var leftOut = []struct{ part, why string }{
	{"bedrock", "Amazon's frames are a format of their own"},
	{"ComputerUse", "tools that the provider defines are not asked for"},
	{"WebSearch", "nor tools that it runs itself"},
}

// formatOf names the format of a request, by its path; "" is none of ours.
func formatOf(u *url.URL) string {
	switch path := u.Path; {
	case strings.HasSuffix(path, "/chat/completions"):
		return "chat"
	case strings.HasSuffix(path, "/responses"):
		return "responses"
	case strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, "awPredict"): // Claude at Google
		return "anthropic"
	case strings.HasSuffix(path, "enerateContent"):
		return "gemini"
	}
	return ""
}

// recordings are all those that come with charm.land/fantasy. They are in its
// module and not in ours; without it the test fails.
func recordings(t *testing.T) []recording {
	t.Helper()
	list, err := allRecordings()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var allRecordings = sync.OnceValues(func() (list []recording, err error) {
	download := exec.Command("go", "mod", "download", "-json", "charm.land/fantasy")
	download.Dir = filepath.Join("..", "..", "..", "tools")
	download.Stderr = os.Stderr
	out, err := download.Output()
	if err != nil {
		return nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, err
	}
	root := filepath.Join(module.Dir, "providertests", "testdata")
	err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		found, err := readRecordings(path)
		list = append(list, found...)
		return err
	})
	return list, err
})

func readRecordings(path string) (list []recording, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Interactions []struct {
			Request  struct{ URL, Body string }
			Response struct{ Body string }
		}
	}
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&file); err != nil {
		return nil, err
	}
	for _, i := range file.Interactions {
		u, err := url.Parse(i.Request.URL)
		if err != nil {
			return nil, err
		}
		body := i.Response.Body
		list = append(list, recording{file: path, format: formatOf(u), url: u, asked: i.Request.Body, body: body,
			stream: !strings.HasPrefix(strings.TrimSpace(body), "{")})
	}
	return list, nil
}

// skipped says why a recording is left out; "" if it is not.
func (r recording) skipped() string {
	for _, l := range leftOut {
		if strings.Contains(r.file, l.part) || strings.Contains(r.url.Host, l.part) {
			return l.why
		}
	}
	return ""
}

// label is short and unique enough for a message.
func (r recording) label() string {
	_, name, _ := strings.Cut(filepath.ToSlash(r.file), "testdata/")
	return name
}
