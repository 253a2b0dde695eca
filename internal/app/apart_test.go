package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/app"
	"parley/internal/config"
)

// A command could write a journal beside a database in the workspace, and SQLite would
// play it back. So such a hub does not start, however the path is written, and it
// makes no file.
func TestADatabaseInTheWorkspaceIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		link     [2]string // a link from the second to the first
		refused  string
	}{
		"a file in the team's folder":         {settings: "store: mydb.sqlite\n", refused: "agents could destroy it"},
		"with a scheme":                       {settings: "store: sqlite:deep/mydb.sqlite\n", refused: "agents could destroy it"},
		"a link that leads into it":           {settings: "store: ../outside.db\n", link: [2]string{"TEAM/mydb.sqlite", "../outside.db"}, refused: "agents could destroy it"},
		"a folder that leads into it":         {settings: "store: ../elsewhere/mydb.sqlite\n", link: [2]string{"TEAM", "../elsewhere"}, refused: "agents could destroy it"},
		"a link in it that leads out":         {settings: "store: mydb.sqlite\n", link: [2]string{"TEAM/../outside.db", "mydb.sqlite"}, refused: "agents could destroy it"},
		"below another workspace":             {settings: "store: project/my.db\nworkspace: project\n", refused: "agents could destroy it"},
		"a data folder that is the workspace": {settings: "data: .\n", refused: "holds the workspace"},
		"a workspace in the data folder":      {settings: "data: files\nworkspace: files/work\n", refused: "holds the workspace"},
		"a data folder that is a link":        {settings: "data: .hub\n", link: [2]string{"TEAM/../hubdata", ".hub"}, refused: "through a link in the workspace"},
		"in the data folder":                  {settings: "store: .parley/mine.db\n"},
		"in another data folder":              {settings: "data: hub\nstore: hub/mine.db\n"},
		"outside":                             {settings: "store: ../outside.db\n"},
		"beside the workspace":                {settings: "store: mydb.sqlite\nworkspace: project\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "team")
			if err := errors.Join(os.Mkdir(dir, 0o700), os.Mkdir(filepath.Join(dir, "project"), 0o700), os.CopyFS(dir, os.DirFS(folder(t, "")))); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "parley.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, "parley.yaml", string(text)+c.settings)
			if c.link[0] != "" {
				if err := os.Symlink(strings.Replace(c.link[0], "TEAM", dir, 1), filepath.Join(dir, c.link[1])); err != nil {
					t.Fatal(err)
				}
			}
			cfg := configure(t, dir)
			if c.refused == "" {
				up(t, cfg).down()
				return
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			cfg.Ready = func(app.Serving) { stop() }
			err = app.Serve(ctx, cfg)
			if parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), c.refused) {
				t.Fatalf("the hub started, or failed otherwise: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, config.DefaultData)); err == nil {
				t.Error("the refused hub has made its folder")
			}
		})
	}
}
