// Command withpostgres runs a command with a temporary PostgreSQL server. The
// command finds its address in PARLEY_TEST_POSTGRES. So the tests of all packages
// share one server instead of starting one each:
//
//	go run ./scripts/withpostgres go test ./...
//
// With -find it only prints where PostgreSQL is installed, and fails if it is
// not.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"parley/internal/pgtest"
)

func main() {
	find := flag.Bool("find", false, "print the folder of PostgreSQL's programs and exit")
	flag.Parse()
	code, err := run(*find, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		code = 1
	}
	os.Exit(code)
}

func run(find bool, command []string) (code int, err error) {
	if find {
		dir, err := pgtest.Find()
		if err == nil {
			fmt.Println(dir)
		}
		return 0, err
	}
	if len(command) == 0 {
		return 0, errors.New("no command given; for example: withpostgres go test ./internal/store/postgres")
	}
	if os.Getenv(pgtest.Env) != "" {
		return runCommand(command)
	}
	server, err := pgtest.Start("", pgtest.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := os.Setenv(pgtest.Env, server.DSN("postgres")); err != nil {
		return 0, err
	}
	return runCommand(command)
}

// runCommand returns the command's exit code. Ctrl-C reaches both the command and
// us. We ignore it and wait, so that the server outlives the command.
func runCommand(command []string) (int, error) {
	ignored := make(chan os.Signal, 1) // signal.Ignore would be inherited
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1 when a signal ended it
	}
	return 0, err
}
