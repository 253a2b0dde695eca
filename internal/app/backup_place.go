package app

import (
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/config"
)

// BackupFile is where a backup goes if nobody says otherwise: a new file in the user's
// state folder, which it makes.
func BackupFile(team *config.Team, now time.Time) (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the standard says to ignore others
		home, err := os.UserHomeDir()
		if err != nil {
			return "", parley.Errorf(parley.Invalid, "There is no home folder for the backup.").WithHint("Name a file.").WithCause(err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	dir := filepath.Join(state, "parley", "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", parley.Errorf(parley.Internal, "%s cannot be made.", dir).WithHint("Name a file elsewhere.").WithCause(err)
	}
	return filepath.Join(dir, team.Name+"-"+now.UTC().Format("20060102-150405")+".tar.gz"), nil
}

// outsideWorkspace refuses a backup where agents could read it: it holds everything that
// was said, and parley.yaml.
func outsideWorkspace(team *config.Team, file string) error {
	at, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	at = resolved(at)
	if !inside(resolved(team.Workspace.Folder), at) || inside(resolved(team.Data), at) {
		return nil
	}
	return parley.Errorf(parley.Invalid, "%s is in the workspace %s, where agents could read the backup.", file, team.Workspace.Folder).
		WithHint("Name a file elsewhere, or none: then it goes to your state folder.")
}
