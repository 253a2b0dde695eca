package sandbox

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// x32 marks the system calls of the second numbering on amd64.
const x32 = 0x40000000

// The offsets of what the filter reads of a system call: its number, architecture and
// first argument.
const (
	dataNumber   = 0
	dataArch     = 4
	dataArgument = 16
)

// filterCalls refuses what Landlock does not cover.
//
// Sockets of the network, unless it is allowed. Sockets of other programs on this
// machine always: a container engine, for example, would do anything for root. A pair
// of sockets between a command's own processes still works. Changes of modes and
// owners by name, since the name may belong to anybody; those of an open file can be
// changed. io_uring, which would bypass the filter.
func filterCalls(network bool) error {
	refuse := unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	program := []unix.SockFilter{
		load(dataArch),
		jump(unix.BPF_JEQ, auditArch, 1, 0),
		answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(dataNumber),
		jump(unix.BPF_JGE, x32, 0, 1),
		answer(refuse),
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1),
		answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
	}
	for _, call := range modeCalls {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), answer(refuse))
	}
	program = append(program,
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0),
		answer(unix.SECCOMP_RET_ALLOW),
		load(dataArgument),
	)
	if network {
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
			program = append(program, jump(unix.BPF_JEQ, family, 0, 1), answer(unix.SECCOMP_RET_ALLOW))
		}
	}
	program = append(program, answer(refuse))
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errors.New("the filter of system calls was refused: " + errno.Error())
	}
	return nil
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(test uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func answer(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
