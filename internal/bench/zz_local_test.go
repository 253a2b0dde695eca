package bench

import (
	"context"
	"os"
	"testing"
)

func TestLocal(t *testing.T) {
	o := Options{Store: os.Getenv("B_STORE"), Only: os.Getenv("B_ONLY"), JSON: os.Getenv("B_JSON") != "", Quick: os.Getenv("B_QUICK") != "", Out: os.Stdout, Progress: os.Stderr, Dir: os.Getenv("B_DIR")}
	if o.Store == "" {
		return
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) {
	if ran, err := Child(context.Background()); ran {
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
