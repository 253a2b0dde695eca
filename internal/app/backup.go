package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/internal/backup"
	"parley/internal/config"
	"parley/internal/store/sqlite"
)

// BackupConfig says what to back up, and where.
type BackupConfig struct {
	Team *config.Team
	File string
	// Force replaces an existing file.
	Force bool
	// FilesOnly leaves the database out. A database on a server cannot be included.
	FilesOnly bool
	// Progress is called with each step; it may be nil.
	Progress func(string)
}

// Backup packs a team into a file, even while its hub runs. The file holds everything
// that was accepted before the backup began.
func Backup(ctx context.Context, cfg BackupConfig) (backup.Manifest, error) {
	m := backup.Manifest{Version: Version(), Team: cfg.Team.Name, Created: time.Now().UTC(), Store: string(cfg.Team.Store.Driver)}
	if cfg.Team.Store.Driver == config.Postgres && !cfg.FilesOnly {
		return m, parley.Errorf(parley.Unavailable, "The database %s is on a server and has to be backed up there.", cfg.Team.Store).
			WithHint("Back it up with: pg_dump --format=custom --schema=parley --file=parley.dump ADDRESS\nand the team's files with: parley backup --files-only %s", cfg.File)
	}
	if err := outsideWorkspace(cfg.Team, cfg.File); err != nil {
		return m, err
	}
	if err := backup.Free(cfg.File, cfg.Force); err != nil { // before the work
		return m, err
	}
	sources, err := filesOf(cfg.Team)
	if err != nil {
		return m, err
	}
	backup.Sweep(cfg.Team.Data)
	scratch, err := backup.NewScratch(cfg.File, cfg.Team.Data)
	if err != nil {
		return m, err
	}
	defer scratch.Close()
	if !cfg.FilesOnly {
		copied := filepath.Join(scratch.Dir, backup.DatabaseName)
		if m.Schema, err = snapshot(ctx, cfg, copied); err != nil {
			return m, err
		}
		if m.Schema > 0 {
			sources = append(sources, backup.Source{Name: backup.DatabaseName, Path: copied})
		}
	}
	err = backup.Write(ctx, cfg.File, scratch, &m, sources, cfg.Force, cfg.Progress)
	return m, err
}

func snapshot(ctx context.Context, cfg BackupConfig, into string) (int, error) {
	from := cfg.Team.Store.Path
	if cfg.Progress != nil {
		size, err := sqlite.Size(from)
		if err != nil {
			return 0, err
		}
		stop := watchCopy(into, size, cfg.Progress)
		defer stop()
	}
	return sqlite.Snapshot(ctx, from, into)
}

// watchCopy reports how far a copy has come, until it is stopped.
func watchCopy(path string, size int64, progress func(string)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			if info, err := os.Stat(path); err == nil && size > 0 {
				progress("copying the database " + percent(info.Size(), size))
			}
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done); <-ended }
}

func percent(part, whole int64) string {
	n := min(99, 100*part/whole)
	return string('0'+rune(n/10)) + string('0'+rune(n%10)) + "%"
}

// filesOf finds the files of a team, including the scripts of its models. It does not
// follow links: what is elsewhere does not belong to the team.
func filesOf(team *config.Team) (list []backup.Source, err error) {
	names := map[string]bool{}
	add := func(name string) {
		if !names[name] {
			names[name] = true
			list = append(list, backup.Source{Name: filepath.ToSlash(name), Path: filepath.Join(team.Dir, name)})
		}
	}
	add(config.TeamFile)
	err = filepath.WalkDir(filepath.Join(team.Dir, "agents"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(team.Dir, path)
		add(name)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, a := range team.Agents {
		name := filepath.FromSlash(a.Model.Name)
		if a.Model.Provider != "scripted" || !filepath.IsLocal(name) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(team.Dir, name)); err == nil && info.Mode().IsRegular() {
			add(filepath.Clean(name))
		}
	}
	return list, nil
}

// Restored is a team that was restored from a backup.
type Restored struct {
	Manifest backup.Manifest
	// Database is where its database is now; empty if the backup has none.
	Database string
	// Elsewhere is the store that parley.yaml names, if it is a different one.
	Elsewhere string
}

// Restore restores a team from a backup into a new folder.
func Restore(ctx context.Context, file, dir string) (r Restored, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return r, err
	}
	r.Manifest, err = backup.Read(ctx, file, dir, func(m backup.Manifest, at string) error { return r.settle(m, at, dir) })
	return r, err
}

// settle checks what was unpacked and moves the database to where the hub will look
// for it when the folder is called dir.
func (r *Restored) settle(m backup.Manifest, at, dir string) error {
	team, _, err := config.Load(at)
	if err != nil {
		return err
	}
	if m.Schema == 0 {
		return nil
	}
	copied := filepath.Join(at, backup.DatabaseName)
	if err := sqlite.Verify(copied); err != nil {
		return err
	}
	place, inside := within(at, team.Store.Path)
	if team.Store.Driver != config.SQLite || !inside || CheckApart(team) != nil { // no hub would start with it there
		place, r.Elsewhere = filepath.Join(config.DefaultData, "parley.db"), team.Store.String()
	}
	r.Database = filepath.Join(dir, place)
	if err := os.MkdirAll(filepath.Join(at, filepath.Dir(place)), 0o700); err != nil {
		return err
	}
	return os.Rename(copied, filepath.Join(at, place))
}

// within is the part of a path below a folder.
func within(dir, path string) (string, bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && filepath.IsLocal(name) && !strings.HasPrefix(name, "..")
}
