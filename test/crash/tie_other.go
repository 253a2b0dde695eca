//go:build !linux

package crash

import "os/exec"

// tieToThread does nothing where the system has no such signal.
func tieToThread(*exec.Cmd) func() { return func() {} }
