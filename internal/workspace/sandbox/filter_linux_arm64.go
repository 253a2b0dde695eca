package sandbox

import "golang.org/x/sys/unix"

// auditArch is the kernel's number for this architecture.
const auditArch = unix.AUDIT_ARCH_AARCH64

// modeCalls are the calls that change a file's mode, owner or attributes by its name.
var modeCalls = []uint32{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_REMOVEXATTRAT}
