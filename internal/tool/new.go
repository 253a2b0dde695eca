package tool

import (
	"context"
	"encoding/json"
	"reflect"

	"parley/internal/model"
	"parley/internal/policy"
)

// Spec is everything about a tool whose arguments are an Args.
type Spec[Args any] struct {
	Name        string
	Title       string
	Description string // for the model
	Hints       Hints
	Replays     bool
	Contacts    bool
	Opens       bool
	Commands    bool
	Output      json.RawMessage // the schema of Result.Data
	// Defaults are the arguments of a call that gives none.
	Defaults Args
	// Ignores are arguments that are taken and not looked at.
	Ignores []string
	// Action names a call for the rules, tool:<category>:<detail>, unless it
	// contacts somebody. A tool without it is tool:other:<name>, which the standard
	// profile wants approval for.
	Action func(Args) string
	// Own says that a call is about what is the caller's anyway, its messages and its
	// tasks: no rule is asked.
	Own bool
	// Peer is whom a contact is for.
	Peer func(Args) string
	// All says that a contact without a peer is for all who may be contacted.
	All bool
	Run func(ctx context.Context, c Call, args Args) (Result, error)
}

// New makes a tool of ours. Args is a struct; its fields' tags say what a model
// is told and what is accepted:
//
//	json      the argument's name
//	doc       what it means
//	required  "true" if a call makes no sense without it
//	enum      its possible values, with commas between
//	type      the JSON type of a json.RawMessage
//	alias     further names that are accepted, with commas between
//
// A model is not told of aliases. required and enum are what it is told; the tool
// itself refuses what makes no sense to it, in its own words.
func New[Args any](s Spec[Args]) Tool {
	fields := fieldsOf(reflect.TypeFor[Args]())
	return s.tool(schemaOf(fields), func(raw json.RawMessage) (Args, error) {
		args := s.Defaults
		if err := decode(raw, fields, s.Ignores, reflect.ValueOf(&args).Elem()); err != nil {
			return s.Defaults, err
		}
		return args, nil
	})
}

// Outside makes a tool whose arguments are described and read elsewhere. It gets
// them as they were given: one JSON object.
func Outside(schema json.RawMessage, s Spec[json.RawMessage]) Tool {
	return s.tool(schema, object)
}

func (s Spec[Args]) tool(schema json.RawMessage, read func(json.RawMessage) (Args, error)) Tool {
	return Tool{
		Tool:  model.Tool{Name: s.Name, Description: s.Description, Schema: schema},
		Title: s.Title, Hints: s.Hints, Replays: s.Replays, Contacts: s.Contacts, Opens: s.Opens, Commands: s.Commands, Output: s.Output,
		prepare: func(raw json.RawMessage) Prepared {
			args, err := read(raw)
			p := Prepared{Err: err, run: func(ctx context.Context, c Call) (Result, error) { return s.Run(ctx, c, args) }}
			switch {
			case s.Contacts && s.Peer != nil:
				p.Peer = s.Peer(args)
				p.All = s.All && p.Peer == "" && err == nil
			case s.Contacts || s.Own:
			case s.Action != nil:
				p.Action = s.Action(args)
			default:
				p.Action = policy.Action(policy.Other, s.Name)
			}
			return p
		},
	}
}
