package config

import (
	"log/slog"
	"net/url"
	"strings"

	"parley"
)

// Driver is an engine that a store runs on.
type Driver string

const (
	SQLite   Driver = "sqlite"
	Postgres Driver = "postgres"
)

// Store says where the hub keeps everything. It prints and logs without its
// password, whatever verb or handler is used; only DSN reveals it.
type Store struct {
	Driver Driver
	// Path is the database file, for SQLite.
	Path string
	dsn  string
}

// ParseStore reads the path of a SQLite file, also as sqlite:path, or a
// PostgreSQL address, postgres://…. The word sqlite alone leaves the path
// empty. Its errors never quote what they were given.
func ParseStore(s string) (Store, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://") {
		return parsePostgres(s)
	}
	path := strings.TrimPrefix(s, "sqlite:")
	switch {
	case s == "sqlite":
		return Store{Driver: SQLite}, nil
	case path == "" || strings.Contains(path, "://") || strings.Contains(path, "="):
		return Store{}, parley.Errorf(parley.Invalid,
			"A store is the path of a SQLite file or an address that begins with postgres://.")
	}
	return Store{Driver: SQLite, Path: path}, nil
}

func parsePostgres(s string) (Store, error) {
	// The parser's error quotes the address, so it is not even kept as a cause.
	if _, err := url.Parse(s); err != nil || strayAt(s) {
		return Store{}, parley.Errorf(parley.Invalid,
			"This is not a PostgreSQL address like postgres://user:password@host:5432/database.").
			WithHint("Special characters in the password must be percent-encoded.")
	}
	return Store{Driver: Postgres, dsn: s}, nil
}

// strayAt reports an @ after the host. Then the password holds a / or ? or #
// that ended it too soon, and part of it would pass for a host or a path.
func strayAt(dsn string) bool {
	_, rest, _ := strings.Cut(dsn, "://")
	end := strings.IndexAny(rest, "/?#")
	return end >= 0 && strings.Contains(rest[end:], "@")
}

// DSN is the PostgreSQL address with its password; it belongs in no message.
func (s Store) DSN() string { return s.dsn }

// Redacted is the store as it may be shown: the password is hidden and the
// parameters, which may hold another, are left out.
func (s Store) Redacted() string {
	if s.Driver != Postgres {
		return string(s.Driver) + ":" + s.Path
	}
	u, err := url.Parse(s.dsn)
	if err != nil {
		return "postgres://…"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

// String is Redacted, for %v and %s.
func (s Store) String() string { return s.Redacted() }

// GoString is Redacted, for %#v.
func (s Store) GoString() string { return s.Redacted() }

// LogValue is Redacted, for slog.
func (s Store) LogValue() slog.Value { return slog.StringValue(s.Redacted()) }
