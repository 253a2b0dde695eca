package cli

import (
	"fmt"
	"os"
	"time"

	"parley/internal/app"
	"parley/internal/cli/view"
)

// certificateSoon is how long before its end a certificate should be renewed.
const certificateSoon = 14 * 24 * time.Hour

// door checks how other machines reach the hub.
func (e *examination) door() {
	if err := app.CheckDoor(e.team, e.team.Listen); err != nil {
		e.failed("door", err)
	}
	t := e.team.TLS
	if !t.On() {
		return
	}
	ends, err := app.CheckCertificate(t)
	if err != nil {
		e.failed("certificate", err)
		return
	}
	if info, err := os.Stat(t.Key); err == nil && info.Mode().Perm()&0o077 != 0 {
		e.wrong("certificate", fmt.Sprintf("The key %s has mode %04o: others may be able to read it.", t.Key, info.Mode().Perm()), "chmod 600 "+shellQuote(t.Key))
	}
	const renew = "Renew it. A running hub takes the new files over by itself."
	switch left := ends.Sub(e.now()); {
	case left <= 0:
		e.wrong("certificate", fmt.Sprintf("%s has ended on %s.", t.Certificate, ends.UTC().Format(time.DateOnly)), renew)
	case left < certificateSoon:
		e.note("certificate", fmt.Sprintf("%s ends in %s.", t.Certificate, view.Duration(left)), renew)
	default:
		e.ok("certificate", "%s, until %s", t.Certificate, ends.UTC().Format(time.DateOnly))
	}
}
