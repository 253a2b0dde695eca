package slack

import (
	"context"
	"net/url"
	"slices"
)

// catchUp takes what was said while there was no connection: in each conversation from
// the last event on. Slack keeps no list of threads, so answers are found in those
// threads that began with one of the newest messages.
func (r *receiver) catchUp(ctx context.Context) error {
	conversations, err := r.in.Conversations(ctx)
	if err != nil {
		return err
	}
	slices.Sort(conversations)
	for _, c := range slices.Compact(conversations) {
		if err := r.urgent(ctx); err != nil {
			return err
		}
		position, err := r.in.Position(ctx, c)
		if err != nil {
			return err
		}
		if position == "" {
			continue // nothing of it is known
		}
		if heard, _ := r.heard.Get(c); later(heard, position) {
			position = heard // what others say is not stored
		}
		missed, err := r.missed(ctx, c, position)
		if err != nil {
			return err
		}
		for _, m := range missed {
			if err := r.hear(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// missed are the messages of a conversation after a position, in order.
func (r *receiver) missed(ctx context.Context, conversation, position string) (list []message, err error) {
	var threads []string
	err = r.history(ctx, "conversations.history", url.Values{"channel": {conversation}}, func(got page) bool {
		more := true
		for _, m := range got.Messages {
			if later(m.TS, position) {
				list = append(list, m)
			} else {
				more = false
			}
			if later(m.LatestReply, position) {
				threads = append(threads, m.TS)
			}
		}
		return more
	})
	if unseen(err) {
		return nil, nil
	}
	for _, thread := range threads {
		if err != nil {
			break
		}
		err = r.history(ctx, "conversations.replies", url.Values{"channel": {conversation}, "ts": {thread}, "oldest": {position}}, func(got page) bool {
			for _, m := range got.Messages {
				if m.TS != thread && later(m.TS, position) {
					list = append(list, m)
				}
			}
			return true
		})
		if unseen(err) {
			err = nil
		}
	}
	slices.SortFunc(list, func(a, b message) int {
		if later(a.TS, b.TS) {
			return 1
		}
		if later(b.TS, a.TS) {
			return -1
		}
		return 0
	})
	list = slices.CompactFunc(list, func(a, b message) bool { return a.TS == b.TS }) // some answers are in both
	for i := range list {
		list[i].Channel = conversation
	}
	return list, err
}

// unseen reports whether the bot does not see a conversation, or a thread is gone. The
// others are caught up all the same.
func unseen(err error) bool {
	switch code(err) {
	case "channel_not_found", "not_in_channel", "is_archived", "thread_not_found", "message_not_found":
		return true
	}
	return false
}
