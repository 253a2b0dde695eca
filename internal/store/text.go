package store

import (
	"strings"
	"unicode/utf8"
)

// Storable replaces what PostgreSQL refuses in a text, NUL and bytes that are
// not UTF-8, by U+FFFD. Both drivers pass every text through it: what a model
// or a program answers must not decide whether its task can be ended.
func Storable(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
