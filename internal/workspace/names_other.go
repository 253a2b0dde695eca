//go:build !unix

package workspace

import "io/fs"

// names is not known here, so that every file is compared.
func names(fs.FileInfo) uint64 { return 2 }
