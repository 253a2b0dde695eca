package page

import (
	"io"
	"mime/multipart"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley"
)

// longestForm bounds a form, of which a composer sends the longest: a message whose text and files make the
// longest attachment, and the form around it.
const longestForm = parley.AttachmentBytes + 1<<20

// written is the text of a composer, and the files below it, each under its name and
// shown as it is.
func (v *visit) written() (text, files string, err error) {
	text = strings.TrimSpace(strings.ReplaceAll(v.r.PostFormValue("text"), "\r\n", "\n"))
	if v.r.MultipartForm == nil {
		return text, "", nil
	}
	var parts []string
	for _, f := range v.r.MultipartForm.File["file"] {
		if f.Filename == "" && f.Size == 0 {
			continue // no file was chosen
		}
		content, err := fileText(f)
		if err != nil {
			return "", "", err
		}
		parts = append(parts, enclosed(parley.Clip(f.Filename, 200), content))
	}
	return text, strings.Join(parts, "\n\n"), nil
}

var fences = regexp.MustCompile("(?m)^ {0,3}(`{3,})")

// enclosed puts a file between fences, which are longer than any in it, so that nothing
// in it is taken for markup.
func enclosed(name, content string) string {
	fence := "```"
	for _, m := range fences.FindAllStringSubmatch(content, -1) {
		if len(m[1]) >= len(fence) {
			fence = m[1] + "`"
		}
	}
	return name + ":\n" + fence + language(name) + "\n" + content + "\n" + fence
}

var plainWord = regexp.MustCompile(`^[a-zA-Z0-9]{1,12}$`)

// language names the one of a file, for its colours; empty if it is not known.
func language(name string) string {
	ext := strings.TrimPrefix(path.Ext(name), ".")
	if plainWord.MatchString(ext) {
		return ext
	}
	return ""
}

var errTooLong = parley.Errorf(parley.Limited, "The text and the files are longer than %d MiB together.", parley.AttachmentBytes>>20).
	WithHint("Put them into the workspace and say where they are. Nothing was sent.")

// fileText reads a file, which must be text.
func fileText(f *multipart.FileHeader) (string, error) {
	name := parley.Clip(f.Filename, 80)
	if f.Size > parley.AttachmentBytes {
		return "", errTooLong
	}
	in, err := f.Open()
	if err != nil {
		return "", parley.Errorf(parley.Invalid, "%s cannot be read.", name).WithHint("Nothing was sent.")
	}
	defer func() { _ = in.Close() }()
	content, err := io.ReadAll(in)
	if err != nil {
		return "", parley.Errorf(parley.Invalid, "%s cannot be read.", name).WithHint("Nothing was sent.")
	}
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", parley.Errorf(parley.Invalid, "%s is not text.", name).
			WithHint("Only text can be attached: put other files into the workspace and say where they are. Nothing was sent.")
	}
	return strings.TrimRight(text, "\n"), nil
}
