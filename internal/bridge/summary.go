package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/reading"
	"parley/internal/store"
	"parley/internal/timing"
)

// Daily is a time of the day.
type Daily struct {
	Hour, Minute int
	Zone         *time.Location
}

// last is the latest such time that is not after t.
func (d Daily) last(t time.Time) time.Time {
	return timing.Daily(d.Hour, d.Minute, d.Zone).Last(t).In(d.Zone)
}

// lateSummary is how late a summary still is one of the day.
const lateSummary = 6 * time.Hour

// summarise posts the summary of the day to everybody who is linked.
func (b *Bridge) summarise(ctx context.Context) {
	if b.Summary == nil {
		<-ctx.Done()
	}
	for ctx.Err() == nil {
		err := b.change(ctx, func(tx *store.Tx, row *store.Bridge) error {
			at := b.Summary.last(tx.Now.Time())
			if row.SummaryAt.Time().Before(at) {
				row.SummaryAt = tx.Now
				return b.addSummaries(tx, at)
			}
			return nil
		})
		if errors.Is(err, errLost) {
			return
		}
		if err != nil && ctx.Err() == nil {
			b.Log.Warn("the summary of the day could not be made; it is tried again", "error", err)
		}
		b.wakeSender()
		pause(ctx, min(time.Until(b.Summary.last(time.Now()).AddDate(0, 0, 1)), time.Minute)+time.Second, nil)
	}
}

func (b *Bridge) addSummaries(tx *store.Tx, at time.Time) error {
	if tx.Now.Time().Sub(at) > lateSummary {
		return nil
	}
	list, err := b.accounts(tx)
	for _, c := range list {
		tx.InsertChatPost(parley.ChatPost{Team: b.Team.ID, Program: b.name, Kind: parley.ChatSummary, Conversation: c.Conversation, Agent: c.Agent,
			Key: fmt.Sprintf("summary/%s/%s", at.Format(time.DateOnly), escape(c.Conversation))})
	}
	return err
}

// mostSummed bounds how many tasks are counted.
const mostSummed = 2000

func (b *Bridge) summaryContent(ctx context.Context, p parley.ChatPost) (content, error) {
	since, person := p.At.Add(-24*time.Hour), b.as(p.Agent)
	ended, err := b.Reading.Tasks(ctx, person, reading.TaskFilter{Ended: true, Limit: mostSummed})
	if err != nil {
		return content{}, err
	}
	count := map[parley.State]int{}
	for _, t := range ended {
		if t.EndedAt >= since {
			count[t.State]++
		}
	}
	open, err := b.Reading.Tasks(ctx, person, reading.TaskFilter{Open: true, Limit: mostSummed})
	if err != nil {
		return content{}, err
	}
	waiting, err := b.Reading.Deciding(ctx, person, mostSummed)
	if err != nil {
		return content{}, err
	}
	lines := []string{"The last 24 hours:",
		fmt.Sprintf("%d tasks completed, %d failed, %d cancelled; %d are open.", count[parley.Completed], count[parley.TaskFailed], count[parley.Cancelled], len(open))}
	if len(waiting) > 0 {
		lines = append(lines, fmt.Sprintf("%d approvals wait for you: /approvals", len(waiting)))
	}
	c := content{file: "summary"}
	c.add(strings.Join(lines, "\n"))
	return c, nil
}
