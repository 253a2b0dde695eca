package programs

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/client"
	"parley/internal/workspace/sandbox"
)

// gateEnv makes this program an agent whose work waits at the gate of that address.
const gateEnv = "PARLEY_TEST_GATE"

func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	if address := os.Getenv(gateEnv); address != "" {
		serveAtGate(address)
		return
	}
	goleak.VerifyTestMain(m)
}

// serveAtGate is an agent program in Go. testdata/gated.py is the same in Python.
func serveAtGate(address string) {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	// A poll that is longer than the test: nobody is helped by its end.
	err = client.Loop{Client: c, AtOnce: 3, Poll: 5 * time.Minute, Handler: func(ctx context.Context, w *client.Work) (string, error) {
		if err := w.Progress(ctx, "At the gate."); err != nil {
			return "", err
		}
		if strings.HasSuffix(w.Text, "Count.") { // without mail that would wake the loop
			if err := passGate(ctx, address, w.Task); err != nil {
				return "", err
			}
		}
		answer, err := w.Ask(ctx, "DataBot", "What was the revenue?")
		if err != nil {
			return "", err
		}
		return answer + " " + w.Task, passGate(ctx, address, w.Task)
	}}.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("stopped in order")
}

// passGate waits until the test lets the task go on.
func passGate(ctx context.Context, address, task string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/"+url.PathEscape(task), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
