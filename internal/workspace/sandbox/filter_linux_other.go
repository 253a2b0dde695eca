//go:build linux && !amd64 && !arm64

package sandbox

// auditArch is 0 where we have no filter of system calls; then there is no
// Landlock either.
const auditArch = 0

var namedModes []uint32
