// Go-agent is an agent program: it counts the words of what it is asked. Asked to count
// what somebody else says, it asks them first.
package main

import (
	"context"
	"fmt"
	"log"
	"os/signal"
	"strings"
	"syscall"

	"parley/client"
)

func main() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// It ends with an error if the hub refuses it for good, for instance because its
	// token was revoked. A hub that is away is waited for.
	if err := client.Serve(ctx, c, count); err != nil {
		log.Fatal(err)
	}
}

// count works on one task. "ask DataBot: What was the revenue?" counts DataBot's answer.
func count(ctx context.Context, w *client.Work) (string, error) {
	_, text, _ := strings.Cut(w.Text, "\n\n") // without the header
	if whom, question, ok := strings.Cut(strings.TrimPrefix(text, "ask "), ": "); ok && strings.HasPrefix(text, "ask ") {
		if err := w.Progress(ctx, "Asking "+whom+"."); err != nil {
			return "", err
		}
		answer, err := w.Ask(ctx, whom, question)
		if err != nil {
			return "", err
		}
		text = answer
	}
	return fmt.Sprintf("%d words", len(strings.Fields(text))), nil
}
