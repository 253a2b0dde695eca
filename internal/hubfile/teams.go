package hubfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"parley"
)

// Files of a hub that serves further teams. The list is in the data folder, so only its
// owner can change it.
const (
	teamsFile     = "teams.json"
	teamsLock     = "teams.lock" // held while the list changes
	teamTokens    = "teams"      // a folder with one token for each further team
	tokenEnding   = ".token"
	pointerFile   = "joined.json" // in the data folder of a further team
	longestFolded = 200           // bytes; a token's file is named after its team
)

// Team is a further team of a hub.
type Team struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	// Data is the team's own data folder, which points back to the hub.
	Data string `json:"data"`
	// Leaving is set until the hub has ended the team's work.
	Leaving bool `json:"leaving,omitempty"`
}

// Is reports whether the team has this name, ignoring case.
func (t Team) Is(name string) bool { return parley.FoldName(t.Name) == parley.FoldName(name) }

type teamList struct {
	Teams []Team `json:"teams"`
}

// Teams reads the list of a hub's further teams.
func Teams(dir string) ([]Team, error) {
	text, err := os.ReadFile(filepath.Join(dir, teamsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, os.ErrPermission) {
		return nil, errNotYours(dir, err)
	}
	var list teamList
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, parley.Errorf(parley.Internal, "The list of teams in %s cannot be read: %s.", filepath.Join(dir, teamsFile), reason(err)).
			WithHint("Restore the file, or remove it and add the teams again.").WithCause(err)
	}
	return list.Teams, nil
}

// ChangeTeams replaces the list by what change makes of it. Others who change it wait
// meanwhile. If change fails, the list stays as it was.
func ChangeTeams(dir string, change func([]Team) ([]Team, error)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return writeError(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, teamsLock), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return writeError(dir, err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return writeError(dir, err)
	}
	before, err := Teams(dir)
	if err != nil {
		return err
	}
	after, err := change(slices.Clone(before))
	if err != nil || slices.Equal(before, after) {
		return err
	}
	text, err := json.MarshalIndent(teamList{Teams: after}, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(dir, teamsFile, append(text, '\n')); err != nil {
		return writeError(dir, err)
	}
	return nil
}

// CheckTeamName refuses a name that is too long for the file of the team's token.
func CheckTeamName(name string) error {
	if err := parley.CheckName(name); err != nil {
		return err
	}
	if len(parley.FoldName(name)) > longestFolded {
		return parley.Errorf(parley.Invalid, "The name %q is too long for a team of this hub.", name).WithHint("Choose a shorter one.")
	}
	return nil
}

// TeamToken reads the token of the person who the command line acts as in a further
// team; empty if there is none.
func (l *Lock) TeamToken(team string) string {
	text, err := os.ReadFile(tokenPath(l.dir, team))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// PublishTeam writes the token of a further team.
func (l *Lock) PublishTeam(team, token string) error {
	path := tokenPath(l.dir, team)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return writeError(l.dir, err)
	}
	if err := replace(filepath.Dir(path), filepath.Base(path), []byte(token+"\n")); err != nil {
		return writeError(l.dir, err)
	}
	return nil
}

// WithdrawTeam removes the token of a further team.
func (l *Lock) WithdrawTeam(team string) error {
	err := os.Remove(tokenPath(l.dir, team))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func tokenPath(dir, team string) string {
	return filepath.Join(dir, teamTokens, parley.FoldName(team)+tokenEnding)
}

// FindTeam is Find for a further team of the hub: with the token of its person. An empty
// name is the hub's own team.
func FindTeam(dir, team string) (Hub, error) {
	hub, err := find(dir)
	if err != nil || team == "" || parley.FoldName(hub.Team) == parley.FoldName(team) {
		return hub, err
	}
	token, err := os.ReadFile(tokenPath(dir, team))
	if errors.Is(err, os.ErrNotExist) {
		return hub, parley.Errorf(parley.NotFound, "The hub does not serve the team %s at present.", team).
			WithHint("parley team list says why.").WithCause(err)
	}
	if err != nil {
		return hub, errNotYours(dir, err)
	}
	hub.Team, hub.Token = team, strings.TrimSpace(string(token))
	return hub, nil
}

// Pointer says in the data folder of a further team which hub serves it.
type Pointer struct {
	// Hub is the data folder of the hub, and Folder that of its own team.
	Hub    string `json:"hub"`
	Folder string `json:"folder"`
	Team   string `json:"team"`
}

// Point writes the pointer into the data folder of a team.
func Point(dir string, to Pointer) error {
	if at, ok := pointer(dir); ok && at == to {
		return nil
	}
	text, err := json.Marshal(to)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return writeError(dir, err)
	}
	if err := errors.Join(ignoreAll(dir), replace(dir, pointerFile, append(text, '\n'))); err != nil {
		return writeError(dir, err)
	}
	return nil
}

// Unpoint removes the pointer to a hub.
func Unpoint(dir, hub string) error {
	if at, ok := pointer(dir); !ok || at.Hub != hub {
		return nil // it is another hub's now
	}
	return os.Remove(filepath.Join(dir, pointerFile))
}

// Pointed reports which hub serves the team with this data folder. The hub's list
// decides; a pointer that it does not confirm counts for nothing.
func Pointed(dir string) (Pointer, bool) {
	at, ok := pointer(dir)
	if !ok {
		return at, false
	}
	teams, err := Teams(at.Hub)
	return at, err == nil && slices.ContainsFunc(teams, func(t Team) bool { return t.Is(at.Team) && same(t.Data, dir) && !t.Leaving })
}

// same reports whether two paths lead to the same folder.
func same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func pointer(dir string) (at Pointer, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, pointerFile))
	return at, err == nil && json.Unmarshal(text, &at) == nil
}
