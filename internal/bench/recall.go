package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/reading"
	"parley/internal/search"
	"parley/internal/store"
)

// How much a search finds of what it should, in documents and queries of anybody's
// own: docs/search.md describes the file.

const recallName = "recall"

type (
	recallSet struct {
		Documents []recallDocument `json:"documents"`
		Queries   []recallQuery    `json:"queries"`
	}
	recallDocument struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	recallQuery struct {
		Class    string   `json:"class"`
		Query    string   `json:"query"`
		Relevant []string `json:"relevant"`
	}
)

// readRecallSet reads a file and checks that its queries can be answered.
func readRecallSet(file string) (set recallSet, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &set)
	}
	if err != nil {
		return set, parley.Errorf(parley.Invalid, "The documents and queries cannot be read from %s: %v.", file, err).WithCause(err)
	}
	known := map[string]bool{}
	for _, d := range set.Documents {
		if d.ID == "" || d.Text == "" || known[d.ID] {
			return set, parley.Errorf(parley.Invalid, "The document %q has no id or no text, or another one has its id.", d.ID)
		}
		known[d.ID] = true
	}
	if len(set.Queries) == 0 {
		return set, parley.Errorf(parley.Invalid, "%s has no queries.", file)
	}
	for _, q := range set.Queries {
		if q.Query == "" || q.Class == "" || len(q.Relevant) == 0 || slices.ContainsFunc(q.Relevant, func(id string) bool { return !known[id] }) {
			return set, parley.Errorf(parley.Invalid, "The query %q has no text, no class, or no document that answers it.", q.Query)
		}
	}
	return set, nil
}

// recall stores the documents as messages, searches for them as a person and reports
// by class. What was not found is part of the progress.
func (b *bench) recall(ctx context.Context, file string) error {
	set, err := readRecallSet(file)
	if err != nil {
		return err
	}
	b.say("recall: %s queries over %s documents", count(len(set.Queries)), count(len(set.Documents)))
	st, err := openStore(ctx, engineSQLite, filepath.Join(b.dir, "recall.db"))
	if err != nil {
		return err
	}
	return errors.Join(b.measureRecall(ctx, st, set), st.Close())
}

func (b *bench) measureRecall(ctx context.Context, st store.Store, set recallSet) error {
	hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler), Name: "recall", Workers: 1})
	c, labels, err := postDocuments(ctx, hub, set.Documents)
	if err == nil {
		err = hub.Search.Update(ctx)
	}
	if err != nil {
		return err
	}
	found, asked := map[string]float64{}, map[string]int{}
	var took []time.Duration
	for _, q := range set.Queries {
		began := time.Now()
		list, err := hub.Reading.Search(ctx, c, reading.Search{Text: q.Query, Kind: search.Messages, Limit: 5})
		if err != nil && parley.KindOf(err) != parley.Invalid { // a query without words finds nothing
			return err
		}
		took = append(took, time.Since(began))
		n := 0
		for _, f := range list {
			if slices.Contains(q.Relevant, labels[f.ID]) {
				n++
			}
		}
		if n < len(q.Relevant) {
			b.say("recall: %s: %q found %d of %q", q.Class, q.Query, n, q.Relevant)
		}
		for _, name := range []string{recallName, recallName + "." + q.Class} {
			asked[name]++
			found[name] += float64(n) / float64(len(q.Relevant))
		}
	}
	slices.Sort(took)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		l := Line{Name: name, Ops: asked[name], RecallAt5: round(found[name]/float64(asked[name]), 3)}
		if name == recallName {
			l.P50, l.P99, l.Messages = inMicros(took[len(took)/2]), inMicros(took[len(took)*99/100]), len(set.Documents)
		}
		if err := b.report.add(l); err != nil {
			return err
		}
	}
	return nil
}

// postDocuments stores the documents as what one participant told another, and returns
// a person who reads them and which document each message is.
func postDocuments(ctx context.Context, hub *app.Hub, list []recallDocument) (c access.Caller, labels map[int64]string, err error) {
	person := func(name string) app.Member {
		return app.Member{Name: name, Kind: parley.Person, Limits: parley.DefaultLimits()}
	}
	team, err := hub.Join(ctx, app.Roster{Team: parley.MainTeam, Members: []app.Member{person("reader"), person("writer")}})
	if err != nil {
		return c, nil, err
	}
	reader, err := hub.Directory.Find(team.ID, "reader")
	if err != nil {
		return c, nil, err
	}
	writer, err := hub.Directory.Find(team.ID, "writer")
	if err != nil {
		return c, nil, err
	}
	labels = map[int64]string{}
	for some := range slices.Chunk(list, fillBatch) {
		err = hub.Store.Update(ctx, func(tx *store.Tx) error {
			dm, err := tx.EnsureDM(team.ID, writer.ID, reader.ID)
			if err != nil {
				return err
			}
			for _, d := range some {
				m := parley.Message{Team: team.ID, Thread: dm.Main, Author: writer.ID, Kind: parley.NotificationMessage, Body: d.Text}
				if err := tx.Post(&m); err != nil {
					return fmt.Errorf("the document %q: %w", d.ID, err)
				}
				labels[int64(m.ID)] = d.ID
			}
			return nil
		})
		if err != nil {
			return c, nil, err
		}
	}
	return access.Caller{Team: team.ID, Agent: reader.ID}, labels, nil
}
