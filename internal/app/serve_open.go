package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"syscall"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

// listen opens the port. It comes before the store, so that nothing is lost if the port
// is taken. Requests wait until the hub is ready.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, errInUse(address).WithCause(err)
	case errors.Is(err, syscall.EACCES):
		return nil, parley.Errorf(parley.Denied, "You may not listen on %s.", address).
			WithHint("Choose a port above 1023 with --listen.").WithCause(err)
	default:
		return nil, parley.Errorf(parley.Invalid, "The hub cannot listen on %s.", address).
			WithHint("Choose an address of this machine with --listen, such as 127.0.0.1:7420.").WithCause(err)
	}
}

// errInUse says what to do about an address that is taken. Mostly it is the hub of
// another team, since all have the same address unless somebody chooses one.
func errInUse(address string) *parley.Error {
	return parley.Errorf(parley.Conflict, "The address %s is in use by another program.", address).
		WithHint("If that is the hub of another team of yours, choose an address for this one, with \"listen: 127.0.0.1:0\" in parley.yaml or --listen (0 is any free port), " +
			"or let that hub serve this team too, with \"parley team add\" in the other team's folder. Otherwise stop that program.")
}

// CheckFree reports whether a hub could listen on an address.
func CheckFree(address string) error {
	l, err := listen(address)
	if err != nil {
		return err
	}
	return l.Close()
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// address is where commands on this machine reach the listener.
func address(l net.Listener) string {
	at := l.Addr().String()
	if a, err := netip.ParseAddrPort(at); err == nil && a.Addr().IsUnspecified() {
		// A listener on :: accepts IPv4 too.
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), a.Port()).String()
	}
	return "http://" + at
}

func openStore(ctx context.Context, cfg ServeConfig) (store.Store, error) {
	where, memory := cfg.Team.Store, store.Memory(cfg.Team.Memory)
	if where.Driver == config.Postgres {
		return postgres.Open(ctx, where.DSN(), postgres.Options{Memory: memory, Log: cfg.Log})
	}
	return sqlite.Open(where.Path, sqlite.Options{Memory: memory})
}

// warnOfClock warns if the newest record is in the future. Time stands still until the
// clock has caught up; nothing is lost.
func warnOfClock(st store.Store, log *slog.Logger) {
	if behind := st.Behind(); behind > 0 {
		log.Warn("the machine's clock is behind the newest record; until it has caught up, time stands still for the hub",
			"behind", behind.Round(time.Second))
	}
}
