//go:build !unix

package mcpclient

import (
	"os"
	"os/exec"
)

// tie does nothing where the system has no groups.
func tie(*exec.Cmd) func() { return func() {} }

// signalGroup ends the process; what it has started is left.
func signalGroup(p *os.Process, _ bool) { _ = p.Kill() }
