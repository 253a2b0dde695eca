package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/config"
	"parley/internal/contact"
	"parley/internal/timing"
)

const archivist = `
agents:
  ArchiveBot:
    - steps: [{say: 'Archived.', usage: {input: 80, output: 20, money: 0.01}}]
`

// scheduled is a team in which ArchiveBot has a schedule.
func scheduled(list ...config.Schedule) Team {
	return Team{Agents: []string{"ArchiveBot", "OtherBot"}, People: []string{"rutger", "zoe"}, Channels: []string{"ops"}, Script: archivist,
		Member: func(m *app.Member) {
			if m.Name == "ArchiveBot" {
				m.Schedule = list
			}
		}}
}

func cron(t testing.TB, text, zone string) timing.Timing {
	t.Helper()
	got, err := timing.Cron(text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func every(t testing.TB, d time.Duration) timing.Timing {
	t.Helper()
	got, err := timing.Every(d)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// dues are the due times that work was made for, in the order in which it was made.
func (s *Stage) dues() (list []string) {
	for _, line := range s.Events(parley.EventScheduleMade) {
		_, due, _ := strings.Cut(line, ": due ")
		list = append(list, strings.TrimSuffix(due, ")"))
	}
	return list
}

// Over a whole year with both clock changes, every night has its work once. The hub is
// started anew twice, once over the change.
func TestAYearOfNights(t *testing.T) {
	nightly := config.Schedule{Name: "nightly", Timing: cron(t, "30 2 * * *", "Europe/Berlin"), Message: "Archive."}
	team := scheduled(nightly)
	team.Hub = func(c *app.HubConfig) { c.Poll, c.Unindexed = 30*24*time.Hour, true }
	Play(t, team, func(s *Stage) {
		begin := time.Now() // a bubble begins in 2000, which has 366 days
		s.Pass(84 * 24 * time.Hour)
		s = s.Restart()
		s.Pass(7 * 24 * time.Hour)
		s = s.Restart()
		s.Pass(time.Until(begin.AddDate(1, 0, 0)))
		var want []string
		for day := begin; day.Before(begin.AddDate(1, 0, 0)); day = day.AddDate(0, 0, 1) {
			due := day.Add(90 * time.Minute) // half past two in winter
			switch {
			case day.Month() == time.March && day.Day() == 26:
				due = day.Add(time.Hour) // there is no half past two: it is at three
			case day.After(time.Date(2000, 3, 26, 0, 0, 0, 0, time.UTC)) && !day.After(time.Date(2000, 10, 29, 0, 0, 0, 0, time.UTC)):
				due = day.Add(30 * time.Minute) // in summer, and the first of two in the night of the change
			}
			want = append(want, due.Format(time.RFC3339Nano))
		}
		s.Equal("due times", want, s.dues())
		s.Equal("tasks", 366, len(s.tasks()))
		s.Equal("missed", []string(nil), s.Events(parley.EventScheduleMissed))
	})
}

func TestScheduledWorkIsAskedForByItsOwner(t *testing.T) {
	Play(t, scheduled(
		config.Schedule{Name: "hourly", Timing: every(t, time.Hour), Message: "Archive the day.", Owner: "zoe", Budget: parley.Budget{Tokens: 5000}},
	), func(s *Stage) {
		s.Pass(time.Hour)
		task := s.Wait(101)
		s.Equal("who", [3]string{"zoe", "ArchiveBot", "completed"}, [3]string{s.name(task.Requester), s.name(task.Agent), task.State.String()})
		saw := s.Saw("ArchiveBot", 1)
		s.Equal("reads", "user: [Agent Request from zoe | Pattern: delegate | Priority: normal | Task: task-101]\n\n"+
			"Context: This is scheduled work (hourly), due 2000-01-01 01:00 UTC. Nobody waits at this moment.\n\nArchive the day.", saw[len(saw)-1])
		s.Equal("inbox of the owner", 1, len(s.Inbox("zoe")))
		s.Equal("inbox of another", 0, len(s.Inbox("rutger")))
		s.Equal("budget", task.ID, task.Budget)
		s.Equal("on record", []string{"schedule.made by zoe to ArchiveBot task-101 (hourly: due 2000-01-01T01:00:00Z)"}, s.Events(parley.EventScheduleMade))
		list, err := s.Schedules.List(s.Context(), s.As("zoe").Caller, "")
		if err != nil || len(list) != 1 || list[0].State.Task != task.ID || list[0].State.Next.Time().UTC().Hour() != 2 || list[0].Owner != "zoe" {
			t.Errorf("listed: %+v, %v", list, err)
		}
	})
}

func TestScheduledWorkInAChannelIsAnsweredThere(t *testing.T) {
	Play(t, scheduled(config.Schedule{Name: "daily", Timing: cron(t, "@daily", ""), Message: "Sum up the day.", Channel: "ops", Budget: parley.Budget{Tasks: 3}}), func(s *Stage) {
		s.Pass(24 * time.Hour)
		task := s.Wait(101)
		s.Equal("pattern", [2]any{parley.Mention, task.ID}, [2]any{task.Pattern, task.Budget})
		var said []string
		for _, m := range s.Channel("ops") {
			said = append(said, m.By+": "+m.Text)
		}
		s.Equal("channel", []string{"rutger: @ArchiveBot (scheduled, daily) Sum up the day.", "ArchiveBot: Archived."}, said)
	})
}

// What became due while no hub ran is made up for once, or left out.
func TestMissedTimes(t *testing.T) {
	Play(t, scheduled(
		config.Schedule{Name: "once", Timing: every(t, time.Hour), Message: "Archive."},
		config.Schedule{Name: "skip", Timing: every(t, 2*time.Hour), Message: "Look.", Missed: config.MissedSkip},
	), func(s *Stage) {
		s.Stop()
		<-time.After(5*time.Hour + 30*time.Minute)
		s = raise(s.TB, s.team, s.Store, s.Models)
		s.Pass(time.Minute)
		s.Equal("on record", []string{
			"schedule.missed to ArchiveBot (once: 4 due from 2000-01-01T01:00:00Z)",
			"schedule.made by rutger to ArchiveBot task-101 (once: due 2000-01-01T05:00:00Z)",
			"schedule.missed to ArchiveBot (skip: 2 due from 2000-01-01T02:00:00Z to 2000-01-01T04:00:00Z)",
		}, sorted(s.Events(parley.EventScheduleMade, parley.EventScheduleMissed), "once: 4", "once: due", "skip"))
		s.Pass(30 * time.Minute)
		s.Equal("and goes on in step", []string{"2000-01-01T05:00:00Z", "2000-01-01T06:00:00Z", "2000-01-01T06:00:00Z"}, s.dues())
	})
}

// sorted puts lines in the order of what they contain: two entries are made at once.
func sorted(lines []string, order ...string) (list []string) {
	for _, part := range order {
		for _, l := range lines {
			if strings.Contains(l, part) {
				list = append(list, l)
			}
		}
	}
	return list
}

func TestHeldSchedules(t *testing.T) {
	Play(t, scheduled(config.Schedule{Name: "hourly", Timing: every(t, time.Hour), Message: "Archive."}), func(s *Stage) {
		rutger := s.As("rutger")
		hold := func(do func() error) {
			t.Helper()
			if err := do(); err != nil {
				t.Error(err)
			}
		}
		hold(func() error { return s.Schedules.Pause(s.Context(), rutger.Caller, "archivebot") })
		hold(func() error { return s.Schedules.Pause(s.Context(), rutger.Caller, "ArchiveBot") }) // says nothing new
		s.Pass(150 * time.Minute)
		s.Equal("made while held", []string(nil), s.dues())
		s = s.Restart()
		rutger = s.As("rutger")
		s.Pass(time.Minute)
		s.Equal("made while held, by another hub", []string(nil), s.dues())
		hold(func() error { return s.Schedules.Resume(s.Context(), rutger.Caller, "ArchiveBot") })
		synctest.Wait()
		s.Equal("made up for at once", []string{"2000-01-01T02:00:00Z"}, s.dues())
		s.Pass(time.Minute)

		rutger.Pause()
		s.Pass(time.Hour)
		s.Equal("made while the team is paused", 1, len(s.dues()))
		rutger.Resume()
		s.Pass(time.Minute)
		s.Equal("then", []string{"2000-01-01T02:00:00Z", "2000-01-01T03:00:00Z"}, s.dues())
		s.Equal("on record", []string{"schedule.paused by rutger to ArchiveBot", "schedule.resumed by rutger to ArchiveBot"},
			s.Events(parley.EventSchedulePaused, parley.EventScheduleResumed))
		for _, who := range []string{"ArchiveBot", "OtherBot"} {
			if err := s.Schedules.Pause(s.Context(), s.As(who).Caller, "ArchiveBot"); parley.KindOf(err) != parley.Denied {
				t.Errorf("%s may pause a schedule: %v", who, err)
			}
		}
		if _, err := s.Schedules.List(s.Context(), s.As("OtherBot").Caller, "ArchiveBot"); parley.KindOf(err) != parley.Denied {
			t.Errorf("an agent reads the schedule of another: %v", err)
		}
	})
}

// What the files say is taken over while the hub runs.
func TestChangedSchedules(t *testing.T) {
	list := []config.Schedule{
		{Name: "stays", Timing: every(t, 4*time.Hour), Message: "Archive."},
		{Name: "moves", Timing: every(t, 3*time.Hour), Message: "Archive."},
		{Name: "goes", Timing: every(t, time.Hour), Message: "Archive."},
	}
	team := scheduled(list...)
	Play(t, team, func(s *Stage) {
		s.Pass(30 * time.Minute)
		s.team = scheduled(
			config.Schedule{Name: "stays", Timing: every(t, 4*time.Hour), Message: "Archive more."},
			config.Schedule{Name: "moves", Timing: every(t, 2*time.Hour), Message: "Archive."},
			config.Schedule{Name: "comes", Timing: cron(t, "0 1 * * *", ""), Message: "Archive."})
		s.join()
		s.Pass(4 * time.Hour)
		s.Equal("made", []string{
			"schedule.made by rutger to ArchiveBot task-101 (comes: due 2000-01-01T01:00:00Z)",
			"schedule.made by rutger to ArchiveBot task-102 (moves: due 2000-01-01T02:30:00Z)",
			"schedule.made by rutger to ArchiveBot task-103 (stays: due 2000-01-01T04:00:00Z)",
			"schedule.made by rutger to ArchiveBot task-104 (moves: due 2000-01-01T04:30:00Z)",
		}, s.Events(parley.EventScheduleMade))
		s.Equal("says what the file says now", "Archive more.", s.Task(103).Title)
		s.team = Team{Agents: []string{"OtherBot"}, Script: archivist}
		s.join()
		s.Pass(24 * time.Hour)
		s.Equal("nothing of an agent that is gone", 4, len(s.dues()))
	})
}

// Work does not pile up behind an agent that is busy with the entry's last: the times that
// pass are made up for once when it has ended, or left out.
func TestScheduledWorkDoesNotPileUp(t *testing.T) {
	team := scheduled(
		config.Schedule{Name: "once", Timing: every(t, time.Minute), Message: "Archive."},
		config.Schedule{Name: "skip", Timing: every(t, time.Hour), Message: "Look.", Missed: config.MissedSkip})
	team.Script = `
agents:
  ArchiveBot:
    - match: 'Archive'
      steps: [{wait: 210s, call: list_agents}, {say: 'Archived.'}]
    - steps: [{wait: 150m, call: list_agents}, {say: 'Looked.'}]
`
	Play(t, team, func(s *Stage) {
		s.Pass(4*time.Minute + 29*time.Second)
		s.Equal("made while the first is open", []string{"2000-01-01T00:01:00Z"}, s.dues())
		list, err := s.Schedules.List(s.Context(), s.As("rutger").Caller, "")
		if err != nil || list[0].State.Problem != "task-101 of this entry is still open." || list[0].State.Next.Time().Minute() != 2 {
			t.Errorf("listed: %+v, %v", list, err)
		}
		s.Pass(time.Second)
		s.Equal("made up for at its end", []string{"2000-01-01T00:01:00Z", "2000-01-01T00:04:00Z"}, s.dues())
		s.Equal("left out", []string{"schedule.missed to ArchiveBot (once: 2 due from 2000-01-01T00:02:00Z)"}, s.Events(parley.EventScheduleMissed))
		list, _ = s.Schedules.List(s.Context(), s.As("rutger").Caller, "")
		s.Equal("then", [2]any{"", 5}, [2]any{list[0].State.Problem, list[0].State.Next.Time().Minute()})

		s = s.Restart() // whoever comes next knows that it is open
		s.Pass(4 * time.Hour)
		open := map[string]int{}
		for _, task := range s.tasks() {
			if task.State.Open() {
				open[task.Title]++
			}
		}
		s.Equal("open", map[string]int{"Archive.": 1, "Look.": 1}, open)
		var skipped []string
		for _, line := range s.Events(parley.EventScheduleMade, parley.EventScheduleMissed) {
			if _, rest, found := strings.Cut(line, "(skip: "); found {
				id, _, _ := strings.Cut(rest, " of this")
				skipped = append(skipped, strings.TrimSuffix(id, ")"))
			}
		}
		s.Equal("with missed: skip", []string{"due 2000-01-01T01:00:00Z", "due 2000-01-01T02:00:00Z: task-118", "due 2000-01-01T03:00:00Z: task-118",
			"due 2000-01-01T04:00:00Z"}, skipped)
		if err := s.Schedules.Pause(s.Context(), s.As("rutger").Caller, "ArchiveBot"); err != nil {
			t.Error(err)
		}
		s.Pass(3 * time.Hour) // until all is done
	})
}

// Work that is refused is recorded, and the next time comes as usual.
func TestRefusedScheduledWork(t *testing.T) {
	Play(t, scheduled(
		config.Schedule{Name: "dm", Timing: every(t, time.Hour), Message: "Archive."},
		config.Schedule{Name: "nowhere", Timing: every(t, 25*time.Hour), Message: "Archive.", Channel: "oops"},
		config.Schedule{Name: "nobody", Timing: every(t, 26*time.Hour), Message: "Archive.", Owner: "carol"},
		config.Schedule{Name: "agent", Timing: every(t, 27*time.Hour), Message: "Archive.", Owner: "OtherBot"},
		config.Schedule{Name: "channel", Timing: every(t, 90*time.Minute), Message: "Archive.", Channel: "ops", Missed: config.MissedSkip},
	), func(s *Stage) {
		s.As("rutger").Offline("ArchiveBot")
		s.Pass(100 * time.Minute)
		s.Equal("while it is offline", []string{
			"schedule.missed to ArchiveBot (dm: due 2000-01-01T01:00:00Z: ArchiveBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent.)",
			"schedule.missed to ArchiveBot (channel: due 2000-01-01T01:30:00Z: ArchiveBot is offline (agent unavailable).)",
		}, s.Events(parley.EventScheduleMade, parley.EventScheduleMissed))
		s.Equal("nothing was posted", 0, len(s.Channel("ops")))
		s.As("rutger").Online("ArchiveBot")
		s.Pass(time.Hour)
		s.Equal("later", []string{"2000-01-01T02:00:00Z"}, s.dues())
		s.Pass(26 * time.Hour)
		var refused []string
		for _, line := range s.Events(parley.EventScheduleMissed) {
			if strings.Contains(line, "2000-01-02") {
				refused = append(refused, line)
			}
		}
		s.Equal("refused", []string{
			"schedule.missed to ArchiveBot (nowhere: due 2000-01-02T01:00:00Z: Channel '#oops' not found. Did you mean #ops?)",
			"schedule.missed to ArchiveBot (nobody: due 2000-01-02T02:00:00Z: Agent 'carol' not found. Look at the list of agents to see who is there.)",
			"schedule.missed to ArchiveBot (agent: due 2000-01-02T03:00:00Z: The owner OtherBot is not a person.)",
		}, refused)
	})
}

// The hub may die before or after any commit: every due time has its work once.
func TestScheduledWorkIsMadeOnceWhateverDies(t *testing.T) {
	team := scheduled(
		config.Schedule{Name: "dm", Timing: every(t, time.Hour), Message: "Archive."},
		config.Schedule{Name: "channel", Timing: every(t, time.Hour), Message: "Archive.", Channel: "ops"})
	atEveryCommit(t, func(t *testing.T, n int, before bool) (died bool) {
		bubbletest.Test(t, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "parley.db")
			s, life := doomed(t, team, file)
			life.Doom(n, before)
			if died = s.Dies(life, time.Hour+time.Minute); died {
				s = Raise(t, team, OpenFile(t, Remains(t, file)))
				s.Pass(2 * time.Minute)
			}
			s.Equal("made", []string{"2000-01-01T01:00:00Z", "2000-01-01T01:00:00Z"}, s.dues())
			s.Equal("tasks", 2, len(s.tasks()))
			for _, task := range s.tasks() {
				s.Equal("state", parley.Completed, task.State)
			}
			s.Stop()
		})
		return died
	})
}

// Whoever knew the key of scheduled work beforehand could take its place.
func TestNobodyTakesTheKeyOfScheduledWork(t *testing.T) {
	Play(t, scheduled(config.Schedule{Name: "hourly", Timing: every(t, time.Hour), Message: "Archive."}), func(s *Stage) {
		key := parley.ScheduleKey(s.agent("ArchiveBot"), "hourly", parley.Micros(time.Now().Add(time.Hour).UnixMicro()))
		want := fmt.Sprintf("Error: The key %q is one of the hub's own. Use another key.", key)
		for _, pattern := range []parley.Pattern{parley.Delegate, parley.Notify} {
			s.Equal("refused", want, s.As("rutger").Refused(pattern, contact.Request{Target: "ArchiveBot", Message: "Archive.", Key: key}))
		}
		s.Pass(time.Hour)
		s.Equal("made", []string{"2000-01-01T01:00:00Z"}, s.dues())
	})
}

// Whoever could use the key of a chat message would have the answer shown below it.
func TestNobodyTakesTheKeyOfAChatMessage(t *testing.T) {
	Play(t, scheduled(), func(s *Stage) {
		const key = "chat/telegram/-100/7/8"
		for _, who := range []string{"rutger", "OtherBot"} {
			s.Equal("refused", `Error: The key "`+key+`" is one of the hub's own. Use another key.`,
				s.As(who).Refused(parley.Delegate, contact.Request{Target: "ArchiveBot", Message: "Archive.", Key: key}))
		}
		_, err := s.Contacts.Post(s.Context(), s.As("rutger").Caller, contact.Post{Channel: "ops", Message: "Hello.", Key: key})
		s.Equal("posted", parley.Conflict, parley.KindOf(err))
		bridge := s.As("rutger").Caller
		bridge.Chat = true
		if _, err := s.Contacts.Post(s.Context(), bridge, contact.Post{Channel: "ops", Message: "Hello.", Key: key}); err != nil {
			t.Error(err)
		}
	})
}
