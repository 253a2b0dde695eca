package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"parley/internal/yamlfile"
)

// maxFile bounds every file of a team. What goes into a prompt is far
// smaller; what is larger is there by mistake.
const maxFile = 1 << 20

// readText returns a file of the team with plain line ends and without a byte
// order mark. An error means that there is no such file; everything else that
// can be wrong with it is a mistake. Reading through an os.Root keeps links
// from leading out of the team's folder.
func readText(root *os.Root, name string) (string, []yamlfile.Mistake, error) {
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && !isLink(root, name) {
		return "", nil, err
	}
	if err != nil {
		return "", unreadable(root, name, err), nil
	}
	// Checked before opening: opening a pipe would wait for its writer.
	if !info.Mode().IsRegular() {
		return "", wrong(0, "This is not a regular file."), nil
	}
	data, err := readLimited(root, name)
	if err != nil {
		return "", unreadable(root, name, err), nil
	}
	if len(data) > maxFile {
		return "", wrong(0, "This file is larger than %s.", formatSize(maxFile)), nil
	}
	text, found := textOf(data)
	return text, found, nil
}

// textOf is the text in a file, with plain line ends and without a byte order mark.
func textOf(data []byte) (string, []yamlfile.Mistake) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if line := binaryLine(data); line > 0 {
		return "", wrong(line, "This is not UTF-8 text.")
	}
	return plainLines(string(data)), nil
}

// plainLines turns every line end into \n, so that lines count as they do in
// YAML.
func plainLines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

func readLimited(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func isLink(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// unreadable says why something that exists cannot be read.
func unreadable(root *os.Root, name string, err error) []yamlfile.Mistake {
	if isLink(root, name) {
		return wrong(0, "This link does not lead to a file inside the team's folder; absolute links are not followed.")
	}
	return wrong(0, "This cannot be read: %v.", reason(err))
}

// reason leaves out the path that an os error repeats.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// binaryLine returns the first line that is not text, or 0.
func binaryLine(data []byte) int {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return 0
	}
	line := 1
	for l := range bytes.Lines(data) {
		if !utf8.Valid(l) || bytes.IndexByte(l, 0) >= 0 {
			return line
		}
		line++
	}
	return 0
}
