// Package rulebook shows and changes the rules of a team while the hub runs.
// The team's files stay the only truth: a change is written into the agent's
// file, and then the files are read again, as they are when somebody else has
// changed them. Only people change rules; every change, and every refusal of
// one who may not, is on record.
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

// Files are a team's, as the running hub has taken them over.
type Files interface {
	// Held is the team as it holds now. It is not changed after it was read.
	Held() *config.Team
	// Reload takes over what the files say by now.
	Reload(ctx context.Context, by parley.AgentID) (Change, error)
}

// Change is what a look at the files has brought.
type Change struct {
	Joined, Removed []string
	Changed         []Changed
	// Channels are those of parley.yaml that are different.
	Channels []config.ChannelChange
	// Kept are those whose files have a mistake: they are as they were.
	Kept []Kept
	// Problems are all mistakes, each with its place.
	Problems []string
	// Restart names settings that differ and need a restart.
	Restart []string
}

// Changed is an agent of which keys are different.
type Changed struct {
	Agent string
	Keys  []string
}

// Kept is an agent with the mistake in its file.
type Kept struct{ Agent, Mistake string }

// Nothing reports whether all is as it was.
func (c Change) Nothing() bool {
	return len(c.Joined)+len(c.Removed)+len(c.Changed)+len(c.Channels) == 0
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
	team   parley.TeamID // whose files these are
	files  Files
	log    *slog.Logger

	mu sync.Mutex // one change at a time
}

// New makes the service.
func New(s store.Store, dir *directory.Directory, control *access.Control, team parley.TeamID, files Files, log *slog.Logger) *Service {
	return &Service{store: s, dir: dir, access: control, team: team, files: files, log: log}
}

// Reload takes the files over at once.
func (s *Service) Reload(ctx context.Context, c access.Caller) (Change, error) {
	if err := s.personsOnly(ctx, c, "reload"); err != nil {
		return Change{}, err
	}
	if c.Team != s.team {
		return Change{}, errNoFiles()
	}
	return s.files.Reload(ctx, c.Agent)
}

// Rules are those of one participant.
type Rules struct {
	Agent string
	File  string // empty for one who has none
	// Mistake is what is wrong with the file by now: these are the rules that it
	// had before.
	Mistake string
	Rules   []Rule
	// Warnings are what the file says and cannot mean, such as names that nobody has.
	Warnings []string
}

// Rule is one of them as it holds.
type Rule struct {
	Key   string
	Words []string
	// Line is where it stands in the file; 0 if it is the default.
	Line int
}

// Nobody reports whether the rule is a list that was emptied on purpose, which
// is not the same as none.
func (r Rule) Nobody() bool { return r.Line > 0 && len(r.Words) == 0 }

// Show reads the rules as they hold. People read those of anyone in their team,
// an agent its own.
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

func rulesOf(a config.Agent) Rules {
	r := Rules{Agent: a.Name, File: a.File, Mistake: a.Mistake}
	for _, key := range config.RuleKeys() {
		r.Rules = append(r.Rules, Rule{Key: key, Words: a.RuleWords(key), Line: a.Lines[key]})
	}
	return r
}

// agent finds the file of a participant.
func (s *Service) agent(e directory.Entry) (config.Agent, error) {
	if e.Team != s.team {
		return config.Agent{}, errNoFiles()
	}
	agents := s.files.Held().Agents
	i := slices.IndexFunc(agents, func(a config.Agent) bool { return parley.FoldName(a.Name) == parley.FoldName(e.Name) })
	if i < 0 {
		return config.Agent{}, parley.Errorf(parley.Conflict, "%s has no file of their own: they are named in %s only.", e.Name, config.TeamFile).
			WithHint("Make agents/%s.md with kind: %s, and take the name out of people: there.", e.Name, e.Kind)
	}
	return agents[i], nil
}

// errNoFiles is for a team whose files are not at this hub: nothing of another
// team's may come up under the same name.
func errNoFiles() error {
	return parley.Errorf(parley.NotFound, "This hub has no files of your team.")
}

func (s *Service) personsOnly(ctx context.Context, c access.Caller, tried string) error {
	return s.access.PeopleOnly(ctx, c, "change the rules of a team", tried)
}

// maxDetail bounds what the record says of a value.
const maxDetail = 400

func (s *Service) record(ctx context.Context, e parley.Event) {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		tx.Record(e)
		return nil
	})
	if err != nil {
		s.log.Error("a change of the rules could not be recorded", "detail", e.Detail, "error", err)
	}
}

// text is words for the record.
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
