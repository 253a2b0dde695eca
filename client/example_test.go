package client_test

import (
	"context"
	"fmt"
	"log"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/api"
	"parley/client"
)

// An agent program: it counts words, and asks a colleague where it has to.
func Example() {
	c, err := client.FromEnv() // PARLEY_URL and PARLEY_TOKEN
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err = client.Serve(ctx, c, func(ctx context.Context, w *client.Work) (string, error) {
		if err := w.Progress(ctx, "Asking for the draft."); err != nil {
			return "", err
		}
		draft, err := w.Ask(ctx, "WriterBot", "Send me the draft.")
		if err != nil {
			return "", err // the task fails, and whoever asked reads why
		}
		return fmt.Sprintf("%d words", len(strings.Fields(draft))), nil
	})
	if err != nil {
		log.Fatal(err) // the token was revoked, for instance
	}
}

// With a Loop you say how much is done at once, and read mail.
func ExampleLoop() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	err = client.Loop{
		Client:  c,
		AtOnce:  16,
		Grace:   time.Minute,
		Handler: func(_ context.Context, w *client.Work) (string, error) { return "Done, " + w.From + ".", nil },
		Mail:    func(_ context.Context, item api.BatchItem) { fmt.Println(item.Text) },
	}.Run(context.Background())
	if parley.KindOf(err) == parley.Unauthentic {
		log.Fatal("Ask for a new token: ", err)
	}
}
