package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// checkAll checks that every fault can still be planted: a change to a line must move
// its fault along.
func checkAll(root string, faults []*fault) error {
	var wrong error
	titles := map[string]bool{}
	for _, f := range faults {
		if _, err := f.plant(root); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s.txt: %s: %w", f.list, f, err))
		}
		if titles[f.title] {
			wrong = errors.Join(wrong, fmt.Errorf("%s.txt: %q is there twice", f.list, f.title))
		}
		titles[f.title] = true
	}
	return wrong
}

// plant is the file with the fault in it.
func (f *fault) plant(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	text := "\n" + string(data)
	if n := strings.Count(text, "\n"+f.old); n != 1 {
		return "", fmt.Errorf("its lines stand there %d times, and not just once:\n%s", n, f.old)
	}
	return strings.Replace(text, "\n"+f.old, "\n"+f.new, 1)[1:], nil
}

// verdict is what came of trying a fault.
type verdict struct {
	found  *place // where it was noticed; nil if it was not
	output string
	took   time.Duration
	err    error
}

// outcome is what a verdict means for the fault.
type outcome string

const (
	found    outcome = "found"
	harmless outcome = "harmless"
	survived outcome = "SURVIVED"
	wrong    outcome = "ERROR"
)

// judge says what happened to a fault, and why.
func (f *fault) judge(v verdict) (o outcome, why string) {
	switch {
	case v.err != nil:
		return wrong, v.err.Error()
	case v.found != nil && f.harmless != "":
		return wrong, "it is listed as harmless (" + f.harmless + ") and was found by " + v.found.String()
	case v.found != nil:
		f.found = v.found
		return found, v.found.String()
	case f.harmless != "":
		return harmless, f.harmless
	}
	return survived, "nobody noticed"
}

// patience is how long the tests of a package may take. A fault may make them wait
// forever.
const patience = 4 * time.Minute

// try plants a fault and runs the tests that should notice, until one does. A
// test that is named goes before its package.
func try(ctx context.Context, root string, f *fault, patience time.Duration) (v verdict) {
	began := time.Now()
	defer func() { v.took = time.Since(began) }()
	err := f.planted(root, func(overlay string) error {
		for _, p := range f.tries() {
			v = test(ctx, root, overlay, p, patience)
			if v.err == nil && v.found != nil {
				v.err = control(ctx, root, *v.found, patience)
			}
			if v.err != nil || v.found != nil {
				break
			}
		}
		return v.err
	})
	v.err = err
	return v
}

// planted calls something with the overlay of a fault.
func (f *fault) planted(root string, do func(overlay string) error) error {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := f.overlay(root, dir)
	if err != nil {
		return err
	}
	return do(overlay)
}

// build plants a fault and compiles its package, unless the file is another system's. Other files
// than Go's compile with any content.
func build(ctx context.Context, root string, f *fault) error {
	if filepath.Ext(f.file) != ".go" {
		return nil
	}
	return f.planted(root, func(overlay string) error {
		cmd := exec.CommandContext(ctx, "go", "build", "-overlay="+overlay, "./"+filepath.Dir(f.file))
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("it does not compile:\n%s", out)
		}
		return nil
	})
}

// control checks that the test that noticed a fault passes without it: a test that
// always fails finds nothing.
func control(ctx context.Context, root string, p place, patience time.Duration) error {
	v := test(ctx, root, "", p, patience)
	if v.err == nil && v.found != nil {
		v.err = fmt.Errorf("%s fails without the fault too:\n%s", p, v.output)
	}
	return v.err
}

// tries are the places to look at: the named tests, then whole packages.
func (f *fault) tries() (list []place) {
	for _, p := range f.places {
		if p.test != "" {
			list = append(list, p)
		}
	}
	for _, p := range f.places {
		list = append(list, place{pkg: p.pkg})
	}
	return list
}

// overlay writes the file with the fault, and the overlay file that makes the
// compiler read it in place of the original.
func (f *fault) overlay(root, dir string) (string, error) {
	text, err := f.plant(root)
	if err != nil {
		return "", err
	}
	planted := filepath.Join(dir, filepath.Base(f.file))
	if err := os.WriteFile(planted, []byte(text), 0o600); err != nil {
		return "", err
	}
	note, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, f.file): planted}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, note, 0o600)
}

// test runs the tests of a package, or one of them, with the overlay. Tests that
// build the program find it in the environment, and build it with the fault.
func test(ctx context.Context, root, overlay string, p place, patience time.Duration) verdict {
	ctx, cancel := context.WithTimeout(ctx, patience+time.Minute)
	defer cancel()
	args := []string{"test", "-overlay=" + overlay, "-vet=off", "-failfast", "-timeout=" + patience.String()}
	if overlay != "" { // else what is known to pass need not be run again
		args = append(args, "-count=1")
	}
	if p.test != "" {
		args = append(args, "-run=^"+p.test+"$")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, p.pkg)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PARLEY_TEST_OVERLAY="+overlay, "RAPID_NOFAILFILE=true")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	v := verdict{output: out.String()}
	switch {
	case err == nil && p.test != "" && strings.Contains(v.output, "[no tests to run]"):
		v.err = fmt.Errorf("there is no %s any more", p)
	case err == nil:
	case strings.Contains(v.output, "[build failed]"), strings.Contains(v.output, "[setup failed]"):
		v.err = fmt.Errorf("it does not compile:\n%s", v.output)
	case errors.Is(context.Cause(ctx), context.Canceled):
		v.err = context.Canceled
	default:
		v.found = &place{pkg: p.pkg, test: cmp.Or(firstFailure(v.output), p.test)}
	}
	return v
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (Test\w+)`)

// firstFailure is the test that noticed; empty if the whole program failed, by a
// panic or by never ending.
func firstFailure(output string) string {
	if m := failure.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	return ""
}
