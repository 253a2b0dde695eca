package loomtools

import (
	"context"
	"strings"

	"parley"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

// teller tells whom it concerns.
type teller struct {
	contacts *contact.Service
	claims   *claim.Service
}

// tell sends a text about a path, or about nothing in particular, to those whom it
// concerns. head says what it is, done what the caller reads.
func (t teller) tell(ctx context.Context, c tool.Call, head, path, text, done string) (tool.Result, error) {
	if strings.TrimSpace(text) == "" {
		return tool.Result{}, parley.Errorf(parley.Invalid, "There is nothing to tell.").WithHint("Say what the others should know.")
	}
	caller := contacttools.Caller(c)
	to, tasks, err := t.claims.Concerned(ctx, caller, path)
	if err != nil {
		return tool.Result{}, err
	}
	if path, err = about(path); err != nil {
		return tool.Result{}, err
	}
	told, err := t.contacts.Tell(ctx, caller, contact.News{To: to, Message: head + path + ": " + text, Key: c.Key, About: tasks})
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: told.Text(done, "It concerns nobody else at the moment, so nobody was told.")}, nil
}

// about names the file that something is about.
func about(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	clean, err := parley.CleanPath(path)
	return " (" + clean + ")", err
}
