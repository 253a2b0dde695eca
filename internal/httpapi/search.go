package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/reading"
	"parley/internal/search"
	"parley/internal/store"
)

func (s *Server) registerSearch() {
	handle(s, operation{id: "search", method: http.MethodGet, path: "/v1/search", tag: "Messages",
		summary: "Search what was said",
		description: "Searches what was said in your team, as far as you may read it: a person reads everything, an agent its dms and its channels. " +
			"A word is also found in its other forms, misspelled, and by its first letters, an identifier also by its parts. " +
			"Text in quotes is found exactly as written. The best matches come first; with newest, the newest messages that have all the words. " +
			"If nothing is found, the list is empty.", errors: []parley.Kind{parley.NotFound, parley.Conflict}}, s.search)
}

type searchInput struct {
	Text    string    `query:"q" required:"true" minLength:"1" maxLength:"2000" example:"\"rate limit\" parser" doc:"Words, and phrases in quotes."`
	Agent   string    `query:"agent" doc:"Only what this participant wrote."`
	Channel string    `query:"channel" example:"standup" doc:"Only what was written in this group channel."`
	Since   time.Time `query:"since" doc:"Only from this time on."`
	Until   time.Time `query:"until" doc:"Only before this time."`
	Newest  bool      `query:"newest" doc:"The newest messages that have all the words, instead of the best matches."`
	Kind    string    `query:"kind" enum:"messages,keepers,tasks" default:"messages" doc:"What to find: messages, messages in keepers, or the tasks that messages belong to."`
	Limit   int       `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"How many at most."`
}

func (s *Server) search(ctx context.Context, in *searchInput) (api.SearchResult, error) {
	r := reading.Search{Text: in.Text, Agent: in.Agent, Channel: in.Channel, Since: micros(in.Since), Until: micros(in.Until),
		Newest: in.Newest, Kind: search.Messages, Tasks: in.Kind == "tasks", Limit: in.Limit}
	if in.Kind == "keepers" {
		r.Kind = search.Kept
	}
	found, err := s.cfg.Reading.Find(ctx, caller(ctx), r)
	out := api.SearchResult{Hits: make([]api.SearchHit, 0, len(found.List)), Behind: found.Behind, Incomplete: found.Incomplete}
	for _, f := range found.List {
		out.Hits = append(out.Hits, s.searchHit(ctx, f))
	}
	return out, wellFormed(err) // the document cannot say what a word is
}

func (s *Server) searchHit(ctx context.Context, f reading.Found) api.SearchHit {
	hit := api.SearchHit{At: instant(f.At), More: f.More}
	if m, ok := f.Source.(store.FoundMessage); ok {
		hit.ID, hit.Author, hit.Thread, hit.Kind = m.ID.String(), s.name(ctx, m.Author), m.Thread.String(), string(m.Kind)
		hit.Place = s.place(ctx, f.Channel)
	}
	if k, ok := f.Source.(store.FoundKept); ok {
		hit.ID, hit.Author, hit.Kind, hit.Place = k.Name(), s.name(ctx, k.Author), k.Role, k.Of.Topic
		if hit.Author == "" {
			hit.Author = s.name(ctx, k.Of.Owner)
		}
	}
	if f.Task.ID != 0 {
		hit.Task, hit.Title, hit.State = f.Task.ID.String(), f.Task.Title, f.Task.State.String()
	}
	var text strings.Builder
	for _, p := range f.Excerpt() {
		hit.Parts = append(hit.Parts, api.Excerpt{Text: p.Text, Found: p.Found})
		text.WriteString(p.Text)
	}
	hit.Excerpt = text.String()
	return hit
}

// place says in words where a message was written.
func (s *Server) place(ctx context.Context, c parley.Channel) string {
	if c.Kind == parley.Group {
		return c.Place()
	}
	return s.name(ctx, c.A) + " and " + s.name(ctx, c.B)
}
