// Command screenshots takes pictures of every view of the page, light and dark, at a desk
// and on a phone: with the demo's story, and with a team of 2,000 agents.
//
//	go run ./test/screenshots FOLDER
//
// With -picture it takes only the picture that README begins with, light and dark.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/workspace/sandbox"
)

func main() {
	if code, child := sandbox.Child(os.Args[1:]); child { // what a hub starts for a command
		os.Exit(code)
	}
	picture := flag.Bool("picture", false, "take only the picture of README")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: screenshots [-picture] FOLDER")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0), *picture); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string, picture bool) error {
	work, err := os.MkdirTemp("", "parley-shots-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	camera, err := newCamera(ctx, folder)
	if err != nil {
		return err
	}
	defer camera.quit()
	if picture {
		return camera.story(ctx, filepath.Join(work, "demo"), camera.picture)
	}
	return errors.Join(camera.story(ctx, filepath.Join(work, "demo"), camera.views), camera.crowd(ctx, filepath.Join(work, "crowd")))
}
