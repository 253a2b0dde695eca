package channel_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// files are the channels in a team's folder, each with its members.
type files struct {
	home     string
	channels map[string][]string
	partial  bool
}

type world struct {
	t   *testing.T
	hub *app.Hub
	ada access.Caller
}

func newWorld(t *testing.T) *world {
	t.Helper()
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{t: t, hub: app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})}
}

// start applies the files, as a hub does when it starts.
func (w *world) start(f files) {
	w.t.Helper()
	r := app.Roster{Team: "main", Home: f.home, Partial: f.partial}
	for _, name := range []string{"ada", "bob", "eve"} {
		r.Members = append(r.Members, app.Member{Name: name, Kind: parley.Person, Limits: parley.DefaultLimits()})
	}
	for name, members := range f.channels {
		r.Channels = append(r.Channels, app.Channel{Name: name, Members: members})
	}
	team, err := w.hub.Join(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	ada, err := w.hub.Directory.Find(team.ID, "ada")
	if err != nil {
		w.t.Fatal(err)
	}
	w.ada = access.Caller{Team: team.ID, Agent: ada.ID}
}

// has compares the channels, each with its members.
func (w *world) has(what string, want ...string) {
	w.t.Helper()
	list, err := w.hub.Reading.Groups(w.t.Context(), w.ada)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, g := range list {
		var names []string
		for _, id := range g.Members {
			names = append(names, w.hub.Reading.Name(w.t.Context(), id))
		}
		got = append(got, g.Name+": "+strings.Join(names, " "))
	}
	if d := cmp.Diff(want, got); d != "" {
		w.t.Errorf("%s: %s", what, d)
	}
}

// The files decide about the channels that they name, and no others.
func TestChannelsBecomeWhatTheFilesSay(t *testing.T) {
	w := newWorld(t)
	w.start(files{home: "here", channels: map[string][]string{"all": {"*"}, "room": {"Ada", "nobody"}}})
	w.has("made", "all: ada bob eve", "room: ada")
	if _, err := w.hub.Channels.Add(t.Context(), w.ada, "own", "", []string{"bob"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.Channels.Invite(t.Context(), w.ada, "#room", []string{"eve", "eve"}); err != nil {
		t.Fatal(err)
	}
	w.start(files{home: "here", channels: map[string][]string{"Room": {"bob"}}})
	w.has("changed: who was invited stays", "own: ada bob", "Room: bob eve")
	w.start(files{home: "there", channels: map[string][]string{"den": {"ada"}}})
	w.has("another folder takes nothing away", "den: ada", "own: ada bob", "Room: bob eve")
	w.start(files{home: "here", partial: true})
	w.has("nor does one that could not be read", "den: ada", "own: ada bob", "Room: bob eve")
	w.start(files{home: "here"})
	w.has("named no more", "den: ada", "own: ada bob")
}

func TestWhatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.start(files{})
	if _, err := w.hub.Channels.Add(t.Context(), w.ada, "room", "", nil); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"Agent 'nobody' not found.": func() error {
			_, err := w.hub.Channels.Invite(t.Context(), w.ada, "room", []string{"nobody"})
			return err
		},
		"There is already a channel #room.": func() error { _, err := w.hub.Channels.Add(t.Context(), w.ada, "#ROOM", "", nil); return err },
		"Channel '#roo' not found.":         func() error { return w.hub.Channels.Delete(t.Context(), w.ada, "roo") },
		"bob is not a member of #room.":     func() error { _, err := w.hub.Channels.Remove(t.Context(), w.ada, "room", []string{"bob"}); return err },
		"A topic has at most 500 characters; thi": func() error {
			_, err := w.hub.Channels.Add(t.Context(), w.ada, "x", strings.Repeat("x", 501), nil)
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(parley.Public(err), name) {
			t.Errorf("want %q, got %v", name, err)
		}
	}
	w.has("nothing changed", "room: ada")
}

func TestWhoeverIsInvitedLaterHasNothingUnread(t *testing.T) {
	w := newWorld(t)
	w.start(files{home: "here"})
	if _, err := w.hub.Channels.Add(t.Context(), w.ada, "room", "", []string{"bob"}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"One.", "Two."} {
		if _, err := w.hub.Contacts.Post(t.Context(), w.ada, contact.Post{Channel: "room", Message: text}); err != nil {
			t.Fatal(err)
		}
	}
	ch, err := w.hub.Channels.Invite(t.Context(), w.ada, "room", []string{"eve"})
	if err != nil {
		t.Fatal(err)
	}
	eve, err := w.hub.Directory.Find(w.ada.Team, "eve")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Store.View(t.Context(), func(tx *store.Tx) error {
		m, err := tx.Member(ch.ID, eve.ID)
		if m.Read != 2 {
			t.Errorf("eve has read %d of 2", m.Read)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
