//go:build !unix

package hardlink

import "io/fs"

// Shared reports whether a file has more than one name. Here that is not known.
func Shared(fs.FileInfo) bool { return false }
