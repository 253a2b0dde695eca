package rulebook

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/config"
)

// Set gives a rule another value. No words at all empty a list.
func (s *Service) Set(ctx context.Context, c access.Caller, name, key string, words []string) (Rules, error) {
	return s.change(ctx, c, name, key, "set "+strings.Join(words, " "), func(Rule) ([]string, error) { return words, nil })
}

// Add adds words to a list. Those that are there already are not added twice;
// for somebody whom a contact rule names it takes that rule's place.
func (s *Service) Add(ctx context.Context, c access.Caller, name, key string, words []string) (Rules, error) {
	return s.change(ctx, c, name, key, "add "+strings.Join(words, " "), func(r Rule) ([]string, error) {
		if err := isList(key); err != nil {
			return nil, err
		}
		return slices.Concat(without(key, r.Words, words), words), nil
	})
}

// Remove takes words out of a list.
func (s *Service) Remove(ctx context.Context, c access.Caller, name, key string, words []string) (Rules, error) {
	return s.change(ctx, c, name, key, "remove "+strings.Join(words, " "), func(r Rule) ([]string, error) {
		if err := isList(key); err != nil {
			return nil, err
		}
		for _, w := range words {
			if !slices.ContainsFunc(r.Words, func(have string) bool { return parley.FoldName(have) == parley.FoldName(w) }) {
				return nil, parley.Errorf(parley.NotFound, "%s has no %s.", key, w).WithHint("It has: %s.", text(r.Words, true))
			}
		}
		return slices.DeleteFunc(slices.Clone(r.Words), func(have string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return parley.FoldName(have) == parley.FoldName(w) })
		}), nil
	})
}

// Unset takes a rule out of the file: its default holds.
func (s *Service) Unset(ctx context.Context, c access.Caller, name, key string) (Rules, error) {
	return s.change(ctx, c, name, key, "unset", nil)
}

func isList(key string) error {
	if slices.Contains([]string{config.KeyCanInvoke, config.KeyContacts, config.KeyProfile}, key) {
		return nil
	}
	return parley.Errorf(parley.Invalid, "%s is no list.", key).WithHint("Use set to give it another value.")
}

// without leaves out what the new words replace.
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

// change edits the file of one agent, takes it over and puts it on record. to
// says what the rule should be, given what it is in the file at that moment; nil
// takes it away.
func (s *Service) change(ctx context.Context, c access.Caller, name, key, what string, to func(Rule) ([]string, error)) (Rules, error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return Rules{}, err
	}
	if err := s.personsOnly(ctx, c, key+" of "+e.Name+": "+what); err != nil {
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
	var before Rule
	written, err := config.ChangeFile(s.files.Held(), a, func(file []byte) ([]byte, error) {
		if before, err = ruleIn(a.File, file, key); err != nil {
			return nil, err
		}
		return edited(file, before, to)
	})
	if err != nil {
		return Rules{}, err
	}
	return s.takeOver(ctx, c, e.ID, before, written, a.File)
}

// ruleIn is a rule as a file has it, which may be newer than what holds.
func ruleIn(name string, file []byte, key string) (Rule, error) {
	a, err := config.ReadRules(name, file)
	return Rule{Key: key, Words: a.RuleWords(key), Line: a.Lines[key]}, err
}

func edited(file []byte, r Rule, to func(Rule) ([]string, error)) ([]byte, error) {
	if to == nil {
		return config.UnsetRule(file, r.Key)
	}
	words, err := to(r)
	if err != nil {
		return nil, err
	}
	return config.SetRule(file, r.Key, words)
}

// takeOver reads the files again and answers with the rules as they hold then.
// That also happens where nothing was written: the file may have been ahead.
func (s *Service) takeOver(ctx context.Context, c access.Caller, target parley.AgentID, before Rule, written bool, file string) (Rules, error) {
	ctx = context.WithoutCancel(ctx) // what is written is written
	_, err := s.files.Reload(ctx, c.Agent)
	agents := s.files.Held().Agents
	i := slices.IndexFunc(agents, func(a config.Agent) bool { return a.File == file })
	if i < 0 || err != nil {
		return Rules{}, parley.Errorf(parley.Conflict, "The rule was written to %s, but the hub could not take the files over.", file).
			WithHint("parley doctor says what is wrong with them.").WithCause(err)
	}
	a := agents[i]
	if written {
		after := Rule{Key: before.Key, Words: a.RuleWords(before.Key), Line: a.Lines[before.Key]}
		s.record(ctx, parley.Event{Team: c.Team, Kind: parley.EventRule, Actor: c.Agent, Target: target, Detail: changeText(before.Key, before, after)})
	}
	r := rulesOf(a)
	for _, w := range s.files.Held().Warnings {
		if w.File == file {
			r.Warnings = append(r.Warnings, w.String())
		}
	}
	return r, nil
}
