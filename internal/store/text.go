package store

import (
	"strings"
	"unicode/utf8"
)

// Storable replaces with U+FFFD what PostgreSQL refuses in a text: NUL, and bytes
// that are not UTF-8. Both drivers pass every text through it, because a task must be
// able to end whatever a model or a program answered.
func Storable(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
