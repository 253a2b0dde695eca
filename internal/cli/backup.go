package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/app"
	"parley/internal/backup"
	"parley/internal/cli/view"
	"parley/internal/config"
)

// BackupReport is what "parley backup --json" prints.
type BackupReport struct {
	File     string          `json:"file"`
	Size     int64           `json:"size"`
	Manifest backup.Manifest `json:"manifest"`
}

func backupCommand(c *console) *cobra.Command {
	var cfg app.BackupConfig
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Back up a team, even while its hub runs",
		Long: `Write the team's database, parley.yaml, agents/ and the scripts of its models into
one file, a .tar.gz with a manifest of checksums. The hub may keep running: the copy
shows the database at one moment, with everything that was accepted before.

Without FILE it goes to parley/backups in your state folder, ~/.local/state unless
XDG_STATE_HOME says otherwise. A file in the workspace is refused: agents could read it.

The file appears when it is complete, and only you can read it. Keep it safe: it holds
everything that was said, and everything in parley.yaml. It holds no tokens; a restored
hub makes new ones.

Back up a PostgreSQL database with pg_dump instead. For such a team the exit code is 1
and nothing is written, unless --files-only asks for the team's files alone.`,
		Example: `  parley backup
  parley backup ../team.tar.gz
  parley backup --json | jq -r .file
  parley restore ../team.tar.gz restored`,
		GroupID: groupCare,
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			team, err := c.loadTeam()
			if err != nil {
				return err
			}
			cfg.Team = team
			if err := c.ownRecord(cfg.FilesOnly); err != nil {
				return err
			}
			if len(args) > 0 {
				cfg.File = args[0]
			} else if cfg.File, err = app.BackupFile(team, c.now()); err != nil {
				return err
			}
			return c.backup(cmd, cfg)
		},
	}
	cmd.Flags().BoolVar(&cfg.Force, "force", false, "replace the file if it exists")
	cmd.Flags().BoolVar(&cfg.FilesOnly, "files-only", false, "leave the database out")
	return cmd
}

// ownRecord refuses to back up a team without its record, which is in the database of
// the hub that serves it.
func (c *console) ownRecord(filesOnly bool) error {
	p, err := c.place()
	if err != nil || p.team == "" || filesOnly {
		return nil // a hub of its own, or none
	}
	return parley.Errorf(parley.Invalid, "The record of %s is in the database of its hub, together with those of other teams.", p.team).
		WithHint("Back up the hub with: %s backup --dir %s\nand the team's files with: %s", c.program, shellQuote(p.hubDir), c.command("backup --files-only"))
}

// loadTeam reads the files of the command's team.
func (c *console) loadTeam() (*config.Team, error) {
	dir, err := c.teamDir()
	if err != nil {
		return nil, err
	}
	team, _, err := config.Load(dir)
	if err == nil && c.data != "" {
		team.MoveData(c.data)
	}
	return team, err
}

func (c *console) backup(cmd *cobra.Command, cfg app.BackupConfig) error {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	clear := func() {}
	if _, ok := terminal(c.err); ok {
		screen := c.screen(c.err)
		clear = func() { _, _ = fmt.Fprint(c.err, "\r\x1b[K") }
		cfg.Progress = func(text string) {
			clear()
			_, _ = fmt.Fprint(c.err, screen.Paint(view.Dim, screen.Fit(text)))
		}
	}
	m, err := app.Backup(ctx, cfg)
	clear()
	if err != nil {
		return err
	}
	info, err := os.Stat(cfg.File)
	if err != nil {
		return err
	}
	report := BackupReport{File: cfg.File, Size: info.Size(), Manifest: m}
	return c.show(report, func(view.Screen) string { return backupText(c, report) })
}

func backupText(c *console, r BackupReport) string {
	has := "the database (schema " + fmt.Sprint(r.Manifest.Schema) + ") and the team's files"
	if r.Manifest.Schema == 0 {
		has = "the team's files without the database"
	}
	return fmt.Sprintf("%s, %s: %s of %s, as of %s.\nRestore it with: %s restore %s FOLDER\n",
		r.File, view.Bytes(uint64(r.Size)), has, r.Manifest.Team, r.Manifest.Created.Format(time.RFC3339), c.program, shellQuote(r.File))
}

func restoreCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE FOLDER",
		Short: "Restore a team from a backup into a new folder",
		Long: `Restore a team from a backup into a new folder. All checksums and the whole database
are checked first. A folder that is not empty is refused, and if anything is wrong,
nothing is left behind.

The restored hub goes on with the tasks that were open. Stop the old hub for good
before you start it: two hubs would do the same work twice.`,
		Example: `  parley restore team.tar.gz restored
  parley up restored`,
		GroupID: groupCare,
		Args:    between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			r, err := app.Restore(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			if r.Elsewhere != "" {
				c.say("Note: parley.yaml names the store %s, but the restored database is %s.\nChange the line store: in parley.yaml before you start the hub.", r.Elsewhere, r.Database)
			}
			return c.show(r.Manifest, func(view.Screen) string { return restoreText(c, args[1], r) })
		},
	}
}

func restoreText(c *console, dir string, r app.Restored) string {
	text := fmt.Sprintf("Restored %s as of %s into %s.\n", r.Manifest.Team, r.Manifest.Created.Format(time.RFC3339), dir)
	if r.Database == "" {
		text += "The backup has no database.\n"
	}
	text += "Stop the old hub for good first: two hubs would do the same work twice.\n"
	return text + "Start it with: " + c.program + " up " + shellQuote(dir) + "\n"
}
