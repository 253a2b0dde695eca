package sandbox

import (
	"fmt"
)

// Limits bound what a command may use; 0 means no bound. Where the system lets the hub
// make control groups, memory and processes are those of the whole command. Elsewhere
// memory is that of each process, and processes are not bounded.
type Limits struct {
	Memory    int64 `json:"memory,omitempty"`     // bytes
	FileSize  int64 `json:"file_size,omitempty"`  // bytes, of each file that it writes
	Processes int   `json:"processes,omitempty"`  // threads count too
	OpenFiles int   `json:"open_files,omitempty"` // of each process
}

// DefaultLimits are enough to build and test a large program, and too little to bring
// the machine to a halt.
func DefaultLimits() Limits {
	return Limits{Memory: 4 << 30, FileSize: 2 << 30, Processes: 1024, OpenFiles: 4096}
}

// fileSizeCode is the exit code of a command that was ended because a file grew too
// large: 128 and the number of the signal.
const fileSizeCode = 128 + 25

// exceeded names the limit that a command ran into, as far as the kernel tells; empty
// if it does not.
func (l Limits) exceeded(code int, g *group) string {
	outOfMemory, outOfProcesses := g.exceeded()
	switch {
	case outOfMemory:
		return "memory of " + size(l.Memory)
	case outOfProcesses:
		return fmt.Sprintf("%d processes", l.Processes)
	case code == fileSizeCode && l.FileSize > 0:
		return "file size of " + size(l.FileSize)
	}
	return ""
}

func size(n int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", n/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
