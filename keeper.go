package parley

import "strconv"

// KeeperID names a stored chunk of conversation; it is printed keeper-7.
type KeeperID int64

func (id KeeperID) String() string { return "keeper-" + strconv.FormatInt(int64(id), 10) }

// ParseKeeperID reads keeper-7; the bare number is accepted too.
func ParseKeeperID(s string) (KeeperID, error) {
	n, err := parseID(s, "keeper-")
	return KeeperID(n), err
}
