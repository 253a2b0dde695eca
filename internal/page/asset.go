package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

//go:embed static
var staticFiles embed.FS

// asset is a file that the page needs, packed once.
type asset struct {
	kind          string
	plain, packed []byte
}

// assets are served by name. Their addresses carry a digest of all of them, so that a
// browser may keep them for ever and still never mixes two versions.
type assets struct {
	files  map[string]asset
	digest string
}

var assetKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json", ".png": "image/png"}

func packAssets() assets {
	a := assets{files: map[string]asset{}}
	all := sha256.New()
	err := fs.WalkDir(staticFiles, "static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := staticFiles.ReadFile(name)
		if err != nil {
			return err
		}
		all.Write(content)
		a.files[strings.TrimPrefix(name, "static/")] = asset{kind: assetKinds[path.Ext(name)], plain: content, packed: pack(content)}
		return nil
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	a.digest = hex.EncodeToString(all.Sum(nil))[:12]
	return a
}

func pack(content []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that exists
	_, _ = z.Write(content)                               // into memory
	_ = z.Close()
	return b.Bytes()
}

// url is the address of an asset. Modules name each other relative to theirs, and so
// keep the digest.
func (a assets) url(name string) string { return "/static/" + a.digest + "/" + name }

// modules are the addresses of those that app.js needs, so that a browser loads all at
// once and not those that a module names only after it has read that module.
func (a assets) modules() (urls []string) {
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		if path.Ext(name) == ".js" && name != "app.js" && name != "signin.js" {
			urls = append(urls, a.url(name))
		}
	}
	return urls
}

func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest := strings.TrimPrefix(r.URL.Path, "/static/")
	digest, name, _ := strings.Cut(rest, "/")
	if digest == a.digest {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	a.serve(w, r, name)
}

func (a assets) serve(w http.ResponseWriter, r *http.Request, name string) {
	file, ok := a.files[name]
	if !ok {
		w.Header().Set("Cache-Control", "no-store")
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("Vary", "Accept-Encoding")
	body := file.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = file.packed
	}
	_, _ = w.Write(body) // the browser is gone
}
