package cli

import (
	"bytes"
	"log/slog"
	"regexp"
	"testing"
	"time"
)

func TestLogForPeople(t *testing.T) {
	var out bytes.Buffer
	c := &console{err: &out, getenv: func(string) string { return "" }, now: time.Now}
	log := c.logger(false, slog.LevelInfo)
	log.Debug("not shown")
	log.Info("the hub is up", "address", "http://127.0.0.1:1", "store", "sqlite file")
	log.With("hub", 1).WithGroup("task").Warn("late\x1b[2J", "id", 101, slog.Group("who", "name", ""))
	log.Error("gone", slog.Attr{})
	want := regexp.MustCompile(`^\d\d:\d\d:\d\d the hub is up address=http://127\.0\.0\.1:1 store="sqlite file"
\d\d:\d\d:\d\d warning: late�\[2J hub=1 task\.id=101 task\.who\.name=""
\d\d:\d\d:\d\d error: gone
$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got:\n%s", &out)
	}
}
