//go:build bench

package bench

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/keeper"
	"parley/internal/store"
)

// The labelled set: messages of two made-up teams, and queries with the messages
// that answer them.
var (
	//go:embed retrieval/messages.jsonl
	labelledMessages []byte
	//go:embed retrieval/queries.jsonl
	labelledQueries []byte
)

type (
	labelledMessage struct {
		ID                  int
		Channel, From, Text string
		At                  time.Time
	}
	labelledQuery struct {
		Class, Query string
		Relevant     []int
	}
)

// retrieval measures how much of what was asked for is among the first five that
// are found in keepers.
func (b *bench) retrieval(ctx context.Context) error {
	if !b.wanted.any(retrievalNames()) {
		return nil
	}
	messages, err := decodeLines[labelledMessage](labelledMessages)
	if err != nil {
		return err
	}
	queries, err := decodeLines[labelledQuery](labelledQueries)
	if err != nil {
		return err
	}
	b.say("retrieval: %d queries over %s messages", len(queries), count(len(messages)))
	st, err := openStore(ctx, engineSQLite, filepath.Join(b.dir, "retrieval.db"))
	if err != nil {
		return err
	}
	lines, err := recall(ctx, st, messages, queries)
	for _, l := range lines {
		if err == nil && b.wanted.has(l.Name) {
			err = b.report.add(l)
		}
	}
	return errors.Join(err, st.Close())
}

func decodeLines[T any](data []byte) (list []T, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	for d.More() {
		var one T
		if err := d.Decode(&one); err != nil {
			return nil, fmt.Errorf("the labelled set: %w", err)
		}
		list = append(list, one)
	}
	return list, nil
}

// recall puts the messages away and asks for them.
func recall(ctx context.Context, st store.Store, messages []labelledMessage, queries []labelledQuery) ([]Line, error) {
	hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler), Name: "retrieval", Workers: 1})
	team, err := hub.Join(ctx, app.Roster{Team: parley.MainTeam, Members: []app.Member{{Name: "reader", Kind: parley.Person, Limits: parley.DefaultLimits()}}})
	if err != nil {
		return nil, err
	}
	reader, err := hub.Directory.Find(team.ID, "reader")
	if err != nil {
		return nil, err
	}
	c := access.Caller{Team: team.ID, Agent: reader.ID}
	labels, err := putAway(ctx, hub, c, messages)
	if err != nil {
		return nil, err
	}
	if err := hub.Search.Update(ctx); err != nil {
		return nil, err
	}
	found, asked := map[string]float64{}, map[string]float64{}
	var took []time.Duration
	for _, q := range queries {
		began := time.Now()
		list, err := hub.Keepers.Find(ctx, c, keeper.Query{Text: q.Query}, 5)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		for _, name := range []string{retrievalName, retrievalName + "." + q.Class} {
			asked[name]++
			found[name] += partOf(q.Relevant, list, labels)
		}
	}
	slices.Sort(took)
	var lines []Line
	for _, name := range retrievalNames() {
		l := Line{Name: name, Ops: int(asked[name]), RecallAt5: round(found[name]/max(asked[name], 1), 3)}
		if name == retrievalName {
			l.P50, l.P99, l.Messages = inMicros(took[len(took)/2]), inMicros(took[len(took)*99/100]), len(messages)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// partOf is how much of what is relevant is in a list.
func partOf(relevant []int, list []parley.KeptMessage, labels map[int64]int) float64 {
	n := 0
	for _, m := range list {
		if slices.Contains(relevant, labels[m.ID]) {
			n++
		}
	}
	return float64(n) / float64(len(relevant))
}

// putAway offloads the messages into keepers, one for each channel and week, and
// returns which message each kept one is.
func putAway(ctx context.Context, hub *app.Hub, c access.Caller, messages []labelledMessage) (map[int64]int, error) {
	labels := map[int64]int{}
	for _, chunk := range weeks(messages) {
		var said []parley.KeptMessage
		for _, m := range chunk {
			said = append(said, parley.KeptMessage{Role: parley.RoleUser, Text: m.From + ": " + m.Text})
		}
		k, _, err := hub.Keepers.Offload(ctx, c, keeper.Offloading{Topic: chunk[0].Channel, Count: len(said), Said: said})
		if err != nil {
			return nil, err
		}
		_, kept, err := hub.Keepers.Show(ctx, c, k.ID)
		if err != nil {
			return nil, err
		}
		for i, m := range kept {
			labels[m.ID] = chunk[i].ID
		}
	}
	if len(labels) != len(messages) {
		return nil, fmt.Errorf("%d of %d messages were put away", len(labels), len(messages))
	}
	return labels, nil
}

// weeks cuts the messages by channel and week. A week with hardly any is joined to
// the one before it.
func weeks(messages []labelledMessage) (chunks [][]labelledMessage) {
	const fewest = 4
	week := 7 * 24 * time.Hour
	channels, order := map[string][]labelledMessage{}, []string(nil)
	for _, m := range messages {
		if channels[m.Channel] == nil {
			order = append(order, m.Channel)
		}
		channels[m.Channel] = append(channels[m.Channel], m)
	}
	for _, name := range order {
		list := channels[name]
		for begin := 0; begin < len(list); {
			end := begin + 1
			for end < len(list) && (end-begin < fewest || len(list)-end < fewest || list[end].At.Truncate(week).Equal(list[begin].At.Truncate(week))) {
				end++
			}
			chunks = append(chunks, list[begin:end])
			begin = end
		}
	}
	return chunks
}
