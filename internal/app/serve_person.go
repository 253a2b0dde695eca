package app

import (
	"context"
	"fmt"
	"os/user"
	"strings"
	"unicode"

	"parley"
	"parley/internal/config"
	"parley/internal/token"
)

// choosePerson says who the command line acts as: the person that the files name, or
// else the user who started the hub. Nobody may speak as an agent, so a user who has the
// name of one gets a longer name.
func choosePerson(team *config.Team, r Roster) (string, error) {
	named := team.Person
	if named == "" {
		return r.freeName(userName()), nil
	}
	if err := parley.CheckName(named); err != nil {
		return "", err
	}
	if !r.mayBePerson(named) {
		return "", parley.Errorf(parley.Conflict, "%s is an agent, so it cannot be the person who uses the command line.", named).
			WithHint("Choose another name with person: in parley.yaml.")
	}
	return named, nil
}

func (r *Roster) freeName(name string) string {
	free := name
	for i := 2; !r.mayBePerson(free); i++ {
		free = shorten(name, 48) + " person"
		if i > 2 {
			free = fmt.Sprintf("%s %d", free, i)
		}
	}
	return free
}

func (r *Roster) mayBePerson(name string) bool {
	kind, taken := r.kind(name)
	return !taken || kind == parley.Person
}

// userName makes a valid name from that of the user who started the hub.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return defaultPerson
	}
	return validName(u.Username)
}

const defaultPerson = "me"

// validName replaces what a name may not contain, and leaves out a domain before the
// user's name.
func validName(s string) string {
	s = s[strings.LastIndexAny(s, `\/`)+1:]
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_.", r) {
			return r
		}
		return '-'
	}, s)
	s = shorten(strings.TrimSpace(s), 64)
	if parley.CheckName(s) != nil {
		return defaultPerson
	}
	return s
}

// shorten cuts a name to at most n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		s = string(r[:n])
	}
	return strings.TrimSpace(s)
}

// tokenOf returns the person's token: the one in the folder if it is still valid for
// the person, otherwise a new one.
func (h *Hub) tokenOf(ctx context.Context, team parley.Team, person, before string) (string, error) {
	e, err := h.Directory.Find(team.ID, person)
	if err != nil {
		return "", err
	}
	use, err := token.Look(ctx, h.Store, before)
	switch {
	case err == nil && use.Owner.ID == e.ID && use.Token.ExpiresAt == 0:
		return before, nil
	case err != nil && parley.KindOf(err) != parley.Unauthentic:
		return "", err
	}
	return token.Issue(ctx, h.Store, e.ID)
}
