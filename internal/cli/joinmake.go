package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/config"
	"parley/internal/join"
)

// joining is what a join has made so far. If it fails, all of it is taken back: an agent
// that nobody can be would stay in the team otherwise, with a token that works.
type joining struct{ undos []func() error }

func (j *joining) undo(f func() error) { j.undos = append(j.undos, f) }

func (j *joining) takeBack() (err error) {
	for _, undo := range slices.Backward(j.undos) {
		err = errors.Join(err, undo())
	}
	return err
}

// joinClient makes the agent, its token and the client's files, or nothing. What can be
// refused is refused before anything is made.
func (c *console) joinClient(cmd *cobra.Command, hub *client.Client, f joinFlags, kind join.Client, name string) (out Joined, err error) {
	ctx := cmd.Context()
	agent, err := findAgent(ctx, hub, name)
	if err != nil {
		return out, err
	}
	isNew := agent == ""
	if isNew {
		agent = name
		if f.description, err = c.checkNewcomer(cmd, f, name); err != nil {
			return out, err
		}
	}
	s, err := c.joinSetup(ctx, hub, f, agent)
	if err != nil {
		return out, err
	}
	var changes []join.Change
	if f.write {
		if changes, err = planJoined(kind, s, f.force); err != nil {
			return out, err
		}
	}
	made := &joining{}
	defer func() {
		if err == nil {
			return
		}
		if failed := made.takeBack(); failed != nil {
			c.say("What was made for %s could not be taken back: %v", agent, failed)
		}
	}()
	if isNew {
		if err := c.makeAgent(ctx, hub, f, agent, made); err != nil {
			return out, err
		}
	}
	if err := c.ensureToken(ctx, hub, s, kind, made); err != nil {
		return out, err
	}
	out = Joined{Agent: agent, New: isNew, Client: kind.Name, TokenFile: s.TokenFile, URL: s.URL, Notes: joinNotes(kind, s)}
	if f.write {
		out.Files, err = writeJoined(changes, made)
	} else {
		out.Files, out.Command = showJoined(kind, s)
	}
	return out, err
}

// checkNewcomer refuses an agent that cannot be made here, and returns what it is for.
func (c *console) checkNewcomer(cmd *cobra.Command, f joinFlags, name string) (string, error) {
	if c.namedByAddress() != "" {
		return "", parley.Errorf(parley.NotFound, "There is no agent %s in this team, and its files are not on this machine.", name).
			WithHint("Run parley join on the machine of the hub first, or write agents/%s.md with kind: client there.", name)
	}
	if err := parley.CheckName(name); err != nil {
		return "", err
	}
	if strings.TrimSpace(f.description) != "" {
		return f.description, nil
	}
	return c.describe(cmd, name)
}

// makeAgent writes the file of a new agent and has the hub read it.
func (c *console) makeAgent(ctx context.Context, hub *client.Client, f joinFlags, name string, made *joining) error {
	dir, err := c.teamDir()
	if err != nil {
		return err
	}
	file, err := config.AddClient(dir, config.NewClient{Name: name, Description: f.description, Toolsets: f.toolsets, Profile: f.profile})
	if err != nil {
		return err
	}
	made.undo(func() error {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			return err
		}
		_, err := hub.Reload(context.WithoutCancel(ctx))
		return err
	})
	if _, err := hub.Reload(ctx); err != nil {
		return err
	}
	found, err := findAgent(ctx, hub, name)
	if err == nil && found == "" {
		err = parley.Errorf(parley.Conflict, "The hub does not know %s, although %s was written.", name, file).
			WithHint("It was taken back. Is %s the team of this hub? parley reload says what is wrong.", dir)
	}
	return err
}

// planJoined makes all changes of the client's files without writing one.
func planJoined(kind join.Client, s join.Setup, force bool) (changes []join.Change, err error) {
	for _, f := range kind.Files(s) {
		change, err := f.Plan(s, force)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	return changes, nil
}

func writeJoined(changes []join.Change, made *joining) ([]JoinedFile, error) {
	out := []JoinedFile{}
	for _, change := range changes {
		file := JoinedFile{Path: change.Path}
		if string(change.Before) != string(change.After) {
			back := restore(change.Path)
			if err := change.Write(); err != nil {
				return out, err
			}
			made.undo(back)
			file.Diff = change.Diff()
		}
		out = append(out, file)
	}
	return out, nil
}

// restore remembers a file as it is, and puts it back.
func restore(path string) func() error {
	before, err := os.ReadFile(path)
	if err != nil {
		return func() error {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}
	}
	return func() error { return os.WriteFile(path, before, 0o600) } // it is there, and keeps its mode
}
