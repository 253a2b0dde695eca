package rulebook

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/config"
)

// Set replaces the values of a rule. Without words a list becomes empty.
func (s *Service) Set(ctx context.Context, c access.Caller, name, key string, words []string) (Rules, error) {
	return s.change(ctx, c, name, key, "set "+strings.Join(words, " "), setting(words))
}

func setting(words []string) wording { return func(Rule, bool) ([]string, error) { return words, nil } }

// Add adds words to a list. It does not add a word twice, and a contact rule
// replaces the one for the same name.
func (s *Service) Add(ctx context.Context, c access.Caller, name, key string, words []string) (Rules, error) {
	return s.change(ctx, c, name, key, "add "+strings.Join(words, " "), adding(key, words))
}

func adding(key string, words []string) wording {
	return func(r Rule, _ bool) ([]string, error) {
		if err := isList(key); err != nil {
			return nil, err
		}
		return slices.Concat(without(key, r.Words, words), words), nil
	}
}

// Remove removes words from a list.
func (s *Service) Remove(ctx context.Context, c access.Caller, name, key string, words []string) (Rules, error) {
	return s.change(ctx, c, name, key, "remove "+strings.Join(words, " "), removing(key, words))
}

func removing(key string, words []string) wording {
	return func(r Rule, begun bool) ([]string, error) {
		if err := isList(key); err != nil {
			return nil, err
		}
		for _, w := range words {
			if !begun && !slices.ContainsFunc(r.Words, func(have string) bool { return parley.FoldName(have) == parley.FoldName(w) }) {
				return nil, parley.Errorf(parley.NotFound, "%s has no %s.", key, w).WithHint("It has: %s.", text(r.Words, true))
			}
		}
		return slices.DeleteFunc(slices.Clone(r.Words), func(have string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return parley.FoldName(have) == parley.FoldName(w) })
		}), nil
	}
}

// Unset removes a rule from the file, so that its default applies.
func (s *Service) Unset(ctx context.Context, c access.Caller, name, key string) (Rules, error) {
	return s.change(ctx, c, name, key, "unset", nil)
}

func isList(key string) error {
	if slices.Contains([]string{config.KeyCanInvoke, config.KeyContacts, config.KeyProfile}, key) {
		return nil
	}
	return parley.Errorf(parley.Invalid, "%s is not a list.", key).WithHint("Use set to give it another value.")
}

// without leaves out the words that the new ones replace.
func without(key string, have, words []string) []string {
	about := func(word string) string {
		if key == config.KeyContacts {
			_, word, _ = strings.Cut(word, ":")
		}
		if key == config.KeyProfile && !strings.Contains(word, ":") {
			return "preset"
		}
		return parley.FoldName(word)
	}
	return slices.DeleteFunc(slices.Clone(have), func(h string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return about(h) == about(w) })
	})
}

// wording returns the new words of a rule, given the rule as it is in the file at that
// moment. If the change was begun before, they may be there already. A nil one removes
// the rule.
type wording func(r Rule, begun bool) ([]string, error)

// change edits the file of one agent, applies it and records the change. A change that
// is repeated under its key is not made again; the rules are then those of now.
func (s *Service) change(ctx context.Context, c access.Caller, name, key, what string, to wording) (Rules, error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return Rules{}, err
	}
	if err := s.peopleOnly(ctx, c, key+" of "+e.Name+": "+what); err != nil {
		return Rules{}, err
	}
	if err := config.CheckRuleKey(key); err != nil {
		return Rules{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.agent(e)
	if err != nil {
		return Rules{}, err
	}
	begun, made, err := s.take(ctx, c, key+" of "+e.Name+": "+what)
	if err != nil {
		return Rules{}, err
	}
	if made {
		return s.apply(ctx, c, e.ID, Rule{}, false, a.File)
	}
	var before Rule
	written, err := config.ChangeFile(s.files.Current(), a, func(file []byte) ([]byte, error) {
		if before, err = ruleIn(a.File, file, key); err != nil {
			return nil, err
		}
		return edited(file, before, begun, to)
	})
	if err != nil {
		s.free(ctx, c)
		return Rules{}, err
	}
	return s.apply(ctx, c, e.ID, before, written, a.File)
}

// ruleIn reads a rule from a file. The file may be newer than what is in force.
func ruleIn(name string, file []byte, key string) (Rule, error) {
	a, err := config.ReadRules(name, file)
	return Rule{Key: key, Words: a.RuleWords(key), Line: a.Lines[key]}, err
}

func edited(file []byte, r Rule, begun bool, to wording) ([]byte, error) {
	if to == nil {
		return config.UnsetRule(file, r.Key)
	}
	words, err := to(r, begun)
	if err != nil {
		return nil, err
	}
	return config.SetRule(file, r.Key, words)
}

// apply reads the files again and returns the rules that are in force then. It also
// does so if nothing was written, since the file may have been newer. A before without
// a key means that nothing was to be changed.
func (s *Service) apply(ctx context.Context, c access.Caller, target parley.AgentID, before Rule, written bool, file string) (Rules, error) {
	ctx = context.WithoutCancel(ctx) // the file is already written
	_, err := s.files.Reload(ctx, c.Agent)
	agents := s.files.Current().Agents
	i := slices.IndexFunc(agents, func(a *config.Agent) bool { return a.File == file })
	if i < 0 || err != nil {
		return Rules{}, parley.Errorf(parley.Conflict, "The rule was written to %s, but the hub could not apply the files.", file).
			WithHint("parley doctor says what is wrong with them.").WithCause(err)
	}
	a := agents[i]
	if before.Key != "" {
		after := Rule{Key: before.Key, Words: a.RuleWords(before.Key), Line: a.Lines[before.Key]}
		s.record(ctx, c, written, parley.Event{Team: c.Team, Kind: parley.EventRule, Actor: c.Agent, Target: target, Detail: changeText(before.Key, before, after)})
	}
	r := rulesOf(a)
	for _, w := range s.files.Current().Warnings {
		if w.File == file {
			r.Warnings = append(r.Warnings, w.String())
		}
	}
	return r, nil
}
