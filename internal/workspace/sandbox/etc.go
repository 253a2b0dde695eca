package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// secretEntries are the entries of /etc that nobody needs to read, whatever their mode.
var secretEntries = []string{"shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "ssh", "security", "krb5.keytab",
	"NetworkManager", "wireguard", "letsencrypt", "ssl/private", "pki/tls/private", "pki/private", "openvpn", "ipsec.secrets", "netplan"}

// etc is what commands may see of /etc. A folder that holds something closed is not open
// itself, but what else is in it.
type etc struct {
	root         string
	open, closed []string
}

// readEtc looks through /etc. What others than the owner and the group may not read, keys
// above all, is closed: commands of a hub that runs as root could read it otherwise.
func readEtc(root string) etc {
	e := etc{root: root}
	e.read(root)
	return e
}

// read reports whether everything in a folder is open.
func (e *etc) read(dir string) (whole bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	begin, whole := len(e.open), true
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			whole = e.readLink(path) && whole
		case e.isSecret(path):
			e.closed = append(e.closed, path)
			whole = false
		case !entry.IsDir():
			e.open = append(e.open, path)
		default:
			whole = e.read(path) && whole
		}
	}
	if whole && dir != e.root {
		e.open = append(e.open[:begin], dir)
	}
	return whole
}

// readLink opens what a link leads to, unless that is secret or nothing of the system's.
// The link itself needs no cover.
func (e *etc) readLink(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true // it leads nowhere
	}
	known := slices.ContainsFunc(slices.Concat(systemFolders, []string{e.root, "/run"}), func(dir string) bool { return within(dir, real) })
	if !known || e.isSecret(real) {
		return false
	}
	e.open = append(e.open, path)
	return true
}

// isSecret reports whether commands do not see a file or folder.
func (e *etc) isSecret(path string) bool {
	if name, err := filepath.Rel(e.root, path); err != nil || slices.Contains(secretEntries, name) {
		return true
	}
	info, err := os.Lstat(path)
	if err != nil {
		return true
	}
	readable := fs.FileMode(0o004)
	if info.IsDir() {
		readable = 0o005
	}
	return info.Mode()&readable != readable
}

// nameServers are the files outside of /etc that say how to find hosts.
func nameServers() (paths []string) {
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && !within("/etc", real) {
		paths = append(paths, real)
	}
	return paths
}
