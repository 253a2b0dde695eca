//go:build !unix

package mcpclient

import (
	"os"
	"os/exec"
)

// tie does nothing where the system has no process groups.
func tie(*exec.Cmd) func() { return func() {} }

// signalGroup ends the process, but not what it has started.
func signalGroup(p *os.Process, _ bool) { _ = p.Kill() }
