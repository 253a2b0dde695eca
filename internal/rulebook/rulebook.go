// Package rulebook shows and changes the rules of a team while the hub runs.
// The team's files stay the only truth: a change is written into the agent's
// file, and then the files are read again, as after any other change of them. Only
// people may change rules. Every change and every refused attempt is on record.
package rulebook

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/access"
	"parley/internal/config"
	"parley/internal/directory"
	"parley/internal/store"
)

// Files are a team's files, which the running hub reads again when they change.
type Files interface {
	// Held is the team that is in force now. Nobody changes the value afterwards.
	Current() *config.Team
	// Reload reads the files again and applies them.
	Reload(ctx context.Context, by parley.AgentID) (Change, error)
}

// Change says what a reload has changed.
type Change struct {
	Joined, Removed []string
	Changed         []Changed
	// Channels are the channels of parley.yaml that have changed.
	Channels []config.ChannelChange
	// Models are the settings of models and providers that have changed.
	Models []string
	// Kept are the agents that stay as they were because their file has a mistake.
	Kept []Kept
	// Problems are all mistakes, each with its place.
	Problems []string
	// Restart names changed settings that need a restart.
	Restart []string
}

// Changed is an agent whose file has changed.
type Changed struct {
	Agent string
	Keys  []string
}

// Kept is an agent with the mistake in its file.
type Kept struct{ Agent, Mistake string }

// Nothing reports whether nothing has changed.
func (c Change) Nothing() bool {
	return len(c.Joined)+len(c.Removed)+len(c.Changed)+len(c.Channels)+len(c.Models) == 0
}

// After adds what changed shortly before.
func (c Change) After(before Change) Change {
	c.Joined, c.Removed = slices.Concat(before.Joined, c.Joined), slices.Concat(before.Removed, c.Removed)
	c.Changed = slices.Concat(before.Changed, c.Changed)
	c.Channels, c.Models = slices.Concat(before.Channels, c.Channels), slices.Concat(before.Models, c.Models)
	return c
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
	team   parley.TeamID // whose files these are
	files  Files
	log    *slog.Logger

	// Decisions and Grants are for Always, and set before its first call.
	Decisions Decisions
	Grants    Grants

	mu sync.Mutex // one change at a time
}

func New(s store.Store, dir *directory.Directory, control *access.Control, team parley.TeamID, files Files, log *slog.Logger) *Service {
	return &Service{store: s, dir: dir, access: control, team: team, files: files, log: log}
}

// Reload reads the files again and applies them at once.
func (s *Service) Reload(ctx context.Context, c access.Caller) (Change, error) {
	if err := s.peopleOnly(ctx, c, "reload"); err != nil {
		return Change{}, err
	}
	if c.Team != s.team {
		return Change{}, errNoFiles()
	}
	return s.files.Reload(ctx, c.Agent)
}

// Rules are the rules of one participant.
type Rules struct {
	Agent string
	File  string // empty if there is none
	// Mistake is what is now wrong with the file. The rules are those that it had
	// before.
	Mistake string
	Rules   []Rule
	// Warnings are things that the file says but can hardly mean, such as a name that
	// nobody has.
	Warnings []string
}

// Rule is one rule in force.
type Rule struct {
	Key   string
	Words []string
	// Line is its line in the file; 0 if it is the default.
	Line int
}

// Nobody reports whether the rule is a list that was emptied on purpose. That is
// not the same as no list.
func (r Rule) Nobody() bool { return r.Line > 0 && len(r.Words) == 0 }

// Show reads the rules in force. People read the rules of anyone in their team, an
// agent only its own.
func (s *Service) Show(c access.Caller, name string) (Rules, error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return Rules{}, err
	}
	if by, _ := s.dir.Entry(c.Agent); by.Kind != parley.Person && e.ID != c.Agent {
		return Rules{}, parley.Errorf(parley.Denied, "Only people may read the rules of others.").WithHint("Ask about your own.")
	}
	a, err := s.agent(e)
	if err != nil {
		return Rules{Agent: e.Name, Rules: []Rule{}}, nil // a person without a file: nothing restricts them
	}
	return rulesOf(a), nil
}

func rulesOf(a *config.Agent) Rules {
	r := Rules{Agent: a.Name, File: a.File, Mistake: a.Mistake}
	for _, key := range config.RuleKeys() {
		r.Rules = append(r.Rules, Rule{Key: key, Words: a.RuleWords(key), Line: a.Lines[key]})
	}
	return r
}

// agent finds a participant in the files.
func (s *Service) agent(e directory.Entry) (*config.Agent, error) {
	if e.Team != s.team {
		return nil, errNoFiles()
	}
	agents := s.files.Current().Agents
	i := slices.IndexFunc(agents, func(a *config.Agent) bool { return parley.FoldName(a.Name) == parley.FoldName(e.Name) })
	if i < 0 {
		return nil, parley.Errorf(parley.Conflict, "%s has no file of their own; only %s names them.", e.Name, config.TeamFile).
			WithHint("Make agents/%s.md with kind: %s, and remove the name from people: in parley.yaml.", e.Name, e.Kind)
	}
	return agents[i], nil
}

// errNoFiles refuses a caller whose team's files are not at this hub. Otherwise it
// could see an agent of another team that has the same name.
func errNoFiles() error {
	return parley.Errorf(parley.NotFound, "This hub has no files of your team.")
}

func (s *Service) peopleOnly(ctx context.Context, c access.Caller, tried string) error {
	return s.access.PeopleOnly(ctx, c, "change the rules of a team", tried)
}

// maxDetail bounds how much of a value the record shows.
const maxDetail = 400

// record notes that a change was made: for whoever repeats it and, if that has written
// a file, in the record.
func (s *Service) record(ctx context.Context, c access.Caller, written bool, e parley.Event) {
	if !written && c.Key == "" {
		return
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		if written {
			tx.Record(e)
		}
		c.Made(tx, 1)
		return nil
	})
	if err != nil {
		s.log.Error("a change of the rules could not be recorded", "detail", e.Detail, "error", err)
	}
}

// take takes the caller's key for a change, before the file is written: a file is no
// part of a transaction. begun says that the change was begun before under the same
// key, and may or may not be in the file; made, that it is.
func (s *Service) take(ctx context.Context, c access.Caller, about string) (begun, made bool, err error) {
	if c.Key == "" {
		return false, false, nil
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		n, repeated, err := c.Repeated(tx, "rule %s", about)
		begun, made = repeated, n > 0
		return err
	})
	return begun, made, err
}

// free gives up the key of a change that was refused.
func (s *Service) free(ctx context.Context, c access.Caller) {
	if c.Key == "" {
		return
	}
	err := s.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		tx.FreeKey(c.Agent, c.Key)
		return nil
	})
	if err != nil {
		s.log.Error("the key of a refused change could not be given up", "error", err)
	}
}

// text writes words for the record.
func text(words []string, there bool) string {
	switch {
	case len(words) > 0:
		return parley.Clip(strings.Join(words, ", "), maxDetail)
	case there:
		return "[]"
	default:
		return "unset"
	}
}

func changeText(key string, before, after Rule) string {
	return fmt.Sprintf("%s: %s → %s", key, text(before.Words, before.Line > 0), text(after.Words, after.Line > 0))
}
