// Command measure says how fast the page is in a real browser: how long the first view of
// home takes and how much it loads, how long a channel of 100,000 messages takes to open
// and to scroll back, and how long it takes from a message stored to its appearance, at
// 100 messages a second with 2 browsers and 48 more streams.
//
//	go run ./test/measure
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

func main() {
	count := flag.Int("messages", 100_000, "messages in the long channel")
	seconds := flag.Int("seconds", 10, "how long to write 100 messages a second")
	flag.Parse()
	if err := run(context.Background(), *count, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

const team = "team: measure\nperson: Mira\npeople: [Jonas]\nmodel: scripted:script.yaml\nlimits: {rate: 100000}\n" +
	"channels:\n  - {name: long, members: [Mira, Jonas]}\n  - {name: busy, members: [Mira, Jonas]}\n"

func run(ctx context.Context, count, seconds int) (err error) {
	dir, err := os.MkdirTemp("", "parley-measure-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, text := range map[string]string{"parley.yaml": team, "script.yaml": "agents: {\"*\": [{steps: [{say: Yes.}]}]}\n", "agents/DataBot.md": "You know the figures.\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	h, err := serve(dir) // makes the team and its channels
	if err != nil {
		return err
	}
	if err := errors.Join(h.stop(), fill(ctx, dir, count)); err != nil {
		return err
	}
	if h, err = serve(dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	b, err := newBrowser(ctx)
	if err != nil {
		return err
	}
	defer b.quit()
	return errors.Join(b.home(h), b.long(h, count), b.busy(h, seconds))
}

// fill puts messages into the long channel.
func fill(ctx context.Context, dir string, count int) error {
	st, err := sqlite.Open(filepath.Join(dir, ".parley", "parley.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	const batch = 1000
	for from := 0; err == nil && from < count; from += batch {
		err = st.Update(ctx, func(tx *store.Tx) error {
			person, err := tx.AgentByName(1, "Mira")
			if err != nil {
				return err
			}
			ch, err := tx.Group(person.Team, "long")
			for i := from; err == nil && i < min(count, from+batch); i++ {
				err = tx.Post(&parley.Message{Team: person.Team, Thread: ch.Main, Author: person.ID, Kind: parley.PostMessage,
					Body: fmt.Sprintf("Message %d: the figures of **row %d** are in, and `code` too.\n\n- one\n- two", i+1, i%97)})
			}
			return err
		})
	}
	return errors.Join(err, st.Close())
}

type hub struct {
	*client.Client
	url  string
	stop func() error
}

func serve(dir string) (*hub, error) {
	team, problems, err := config.Load(dir)
	if err != nil || len(problems) > 0 {
		return nil, errors.Join(err, fmt.Errorf("mistakes in %s: %v", dir, problems))
	}
	ctx, end := context.WithCancel(context.Background())
	ended, up := make(chan error, 1), make(chan app.Serving, 1)
	go func() {
		ended <- app.Serve(ctx, app.ServeConfig{Team: team, Listen: "127.0.0.1:0", Grace: 100 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Ready: func(s app.Serving) { up <- s }})
	}()
	h := &hub{stop: func() error { end(); return <-ended }}
	select {
	case err := <-ended:
		end()
		return nil, err
	case s := <-up:
		h.url = s.URL
		h.Client, err = client.Discover(s.Data)
	}
	return h, err
}

type browser struct {
	ctx  context.Context
	quit func()
}

func newBrowser(ctx context.Context) (*browser, error) {
	allocator, end := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	tab, closeTab := chromedp.NewContext(allocator)
	return &browser{ctx: tab, quit: func() { closeTab(); end() }}, chromedp.Do(tab)
}

// signIn opens a new profile in which the hub's person has signed in.
func (b *browser) signIn(h *hub) (context.Context, error) {
	tab, _ := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	link, err := h.CreateLink(b.ctx)
	if err != nil {
		return nil, err
	}
	return tab, chromedp.Do(tab, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(h.url+link.Path), chromedp.WaitVisible(chromedp.CSS("#needs-h")))
}

func eval[T any](ctx context.Context, script string) (T, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}
