//go:build !unix

package workspace

import "io/fs"

// linkCount is unknown here, so every file is compared.
func linkCount(fs.FileInfo) uint64 { return 2 }
