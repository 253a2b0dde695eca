//go:build !unix

package hardlink

import "io/fs"

// Shared reports whether a file has more than one name. This system does not say.
func Shared(fs.FileInfo) bool { return false }
