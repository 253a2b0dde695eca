// Package hubfile handles the files in a hub's data folder with which commands
// find the hub, and which keep a second hub out of the folder:
//
//	hub.lock   locked by the running hub; its content does not matter
//	hub.json   address and process of the hub that holds the lock
//	hub.token  the token of the person who the command line acts as
//	.gitignore keeps the folder out of git
//	teams.json the further teams that the hub serves, with the folder of each
//	teams/     the token of each further team's person
//
// The data folder of a further team has joined.json, which names the hub.
//
// Only the lock says whether a hub runs: the system releases it when the process
// ends, however it ends. The other files may be left over from a hub that was
// killed.
package hubfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley"
)

const (
	lockFile  = "hub.lock"
	hubFile   = "hub.json"
	tokenFile = "hub.token"

	ignoreFile = ".gitignore"
)

// Hub says how to reach a running hub.
type Hub struct {
	URL     string    `json:"url"`
	Process int       `json:"process"`
	Started time.Time `json:"started"`
	// Team is its own team, whose person has the token, and Folder is where that is.
	Team   string `json:"team,omitempty"`
	Folder string `json:"folder,omitempty"`
	Token  string `json:"-"`
}

// Find reads the files of the hub that runs on a data folder. For the folder of a
// further team it finds the hub that serves it, with the token of that team.
func Find(dir string) (Hub, error) {
	if at, ok := Pointed(dir); ok {
		return FindTeam(at.Hub, at.Team)
	}
	return find(dir)
}

// find does not follow a pointer.
func find(dir string) (Hub, error) {
	if !Held(dir) {
		return Hub{}, parley.Errorf(parley.Unavailable, "No hub runs on %s.", dir).WithHint("Start one with: parley up")
	}
	hub, err := read(dir)
	if errors.Is(err, os.ErrPermission) {
		return hub, errNotYours(dir, err)
	}
	if err != nil {
		return hub, parley.Errorf(parley.Unavailable, "A hub is just starting on %s.", dir).WithHint("Try again in a moment.").WithCause(err)
	}
	token, err := os.ReadFile(filepath.Join(dir, tokenFile))
	if err != nil {
		return hub, errNotYours(dir, err)
	}
	hub.Token = strings.TrimSpace(string(token))
	return hub, nil
}

func errNotYours(dir string, err error) error {
	return parley.Errorf(parley.Denied, "You may not read the files of the hub that runs on %s.", dir).
		WithHint("Only the user who started it may do that.").WithCause(err)
}

func read(dir string) (hub Hub, err error) {
	text, err := os.ReadFile(filepath.Join(dir, hubFile))
	if err != nil {
		return hub, err
	}
	return hub, json.Unmarshal(text, &hub)
}

// Publish writes the address and the token of the hub that holds the lock. The
// address comes last, so that whoever finds it finds the token too.
func (l *Lock) Publish(hub Hub) error {
	text, err := json.Marshal(hub)
	if err != nil {
		return err
	}
	if err := replace(l.dir, tokenFile, []byte(hub.Token+"\n")); err != nil {
		return writeError(l.dir, err)
	}
	if err := replace(l.dir, hubFile, append(text, '\n')); err != nil {
		return writeError(l.dir, err)
	}
	return nil
}

// Token reads the token of the previous hub, so that a restart does not make a new
// one. It is empty if there is none.
func (l *Lock) Token() string {
	text, err := os.ReadFile(filepath.Join(l.dir, tokenFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// replace writes a file that only its owner can read, in one step. It makes a new
// file with that mode and renames it, so the mode of an old file or a link in its
// place does not matter.
func replace(dir, name string, content []byte) error {
	temporary := filepath.Join(dir, name+".new")
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, name))
}

func writeError(dir string, err error) error {
	return parley.Errorf(parley.Internal, "The data folder %s cannot be written: %s.", dir, reason(err)).
		WithHint("Check its permissions and the free space.").WithCause(err)
}

// reason is the last part of a file error, since the message already names the
// path.
func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return fmt.Sprint(err)
}
