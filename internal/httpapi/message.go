package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/reading"
)

func (s *Server) registerMessages() {
	const tag = "Messages"
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "list-messages", method: http.MethodGet, path: "/v1/messages", tag: tag,
		summary:     "Read a conversation",
		description: "The last messages of a thread, of a group channel, or of the main thread between two participants, oldest first.", errors: missing}, s.listMessages)
	handle(s, operation{id: "get-message", method: http.MethodGet, path: "/v1/messages/{id}", tag: tag,
		summary: "Read a message", description: "One message, and how far it has come with each recipient.", errors: missing}, s.getMessage)
	handle(s, operation{id: "list-threads", method: http.MethodGet, path: "/v1/threads", tag: tag,
		summary: "List threads", description: "The threads of the dm of two participants, the main one first.", errors: missing}, s.listThreads)
	handle(s, operation{id: "get-inbox", method: http.MethodGet, path: "/v1/inbox", tag: tag,
		summary: "Read your inbox",
		description: "The messages for you that you have not seen, oldest first, and the approvals that wait for your decision. " +
			"What is asked of a person stays until it is answered. " +
			"Reading changes nothing. Call mark-seen for what was displayed."}, s.getInbox)
	handle(s, operation{id: "mark-seen", method: http.MethodPost, path: "/v1/messages/seen", tag: tag,
		summary:     "Mark messages as seen",
		description: "Records that messages for you were displayed, such as a task's result. Their authors can see this."}, s.markSeen)
	handle(s, operation{id: "redact-message", method: http.MethodPost, path: "/v1/messages/{id}/redact", tag: tag,
		summary: "Redact a message",
		description: "Removes the text wherever the hub stored it, including copies. Who wrote to whom and when stays. Only people may do this. " +
			"Repeating it changes nothing.", errors: append([]parley.Kind{parley.Unavailable}, missing...)}, s.redactMessage)
}

func (s *Server) redactMessage(ctx context.Context, in *struct {
	ID   string `path:"id" example:"msg-7" doc:"The message."`
	Body api.RedactRequest
}) (api.Redaction, error) {
	id, err := parley.ParseMessageID(in.ID)
	if err != nil {
		return api.Redaction{}, err
	}
	r, err := s.cfg.Redactions.Redact(ctx, caller(ctx), id, in.Body.Reason)
	return api.Redaction{Messages: messageIDs(r.Messages), Quoted: messageIDs(r.Quoted)}, err
}

func messageIDs(ids []parley.MessageID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = id.String()
	}
	return list
}

// Pair names the two participants of a dm.
type Pair struct {
	Of   string `query:"of" doc:"One participant; you if left out."`
	With string `query:"with" doc:"The other participant; you if left out."`
}

type listMessagesInput struct {
	Page
	Pair
	Thread  string `query:"thread" example:"thread-7" doc:"A thread, instead of two participants."`
	Channel string `query:"channel" example:"standup" doc:"A group channel, instead of two participants."`
	Before  int    `query:"before" minimum:"0" doc:"Only messages with a smaller number in the thread."`
}

func (s *Server) listMessages(ctx context.Context, in *listMessagesInput) (api.MessageList, error) {
	r := reading.Conversation{Channel: in.Channel, Of: in.Of, With: in.With, Before: in.Before, Limit: in.Limit}
	if in.Thread != "" {
		var err error
		if r.Thread, err = parley.ParseThreadID(in.Thread); err != nil {
			return api.MessageList{}, err
		}
	}
	list, err := s.cfg.Reading.Messages(ctx, caller(ctx), r)
	out := api.MessageList{Messages: make([]api.Message, 0, len(list))}
	for _, m := range list {
		out.Messages = append(out.Messages, s.message(ctx, m))
	}
	return out, err
}

func (s *Server) getMessage(ctx context.Context, in *struct {
	ID string `path:"id" example:"msg-7" doc:"The message."`
}) (api.MessageRecord, error) {
	id, err := parley.ParseMessageID(in.ID)
	if err != nil {
		return api.MessageRecord{}, err
	}
	m, err := s.cfg.Reading.Message(ctx, caller(ctx), id)
	return s.messageRecord(ctx, m), err
}

func (s *Server) listThreads(ctx context.Context, in *Pair) (api.ThreadList, error) {
	list, err := s.cfg.Reading.Threads(ctx, caller(ctx), in.Of, in.With)
	out := api.ThreadList{Threads: make([]api.Thread, 0, len(list))}
	for _, t := range list {
		out.Threads = append(out.Threads, api.Thread{ID: t.ID.String(), Main: t.Main, Messages: t.Count,
			Between: []string{s.name(ctx, t.Between[0]), s.name(ctx, t.Between[1])}})
	}
	return out, err
}

func (s *Server) getInbox(ctx context.Context, in *Page) (api.Inbox, error) {
	list, err := s.cfg.Reading.Inbox(ctx, caller(ctx), in.Limit)
	if err != nil {
		return api.Inbox{}, err
	}
	waiting, err := s.cfg.Reading.Deciding(ctx, caller(ctx), in.Limit)
	out := api.Inbox{Items: make([]api.InboxItem, 0, len(list)), Approvals: s.approvals(ctx, waiting)}
	for _, m := range list {
		out.Items = append(out.Items, api.InboxItem{Message: s.message(ctx, m.Message), Asks: m.Asks, Seen: m.Seen, Channel: m.Place})
	}
	return out, err
}

func (s *Server) markSeen(ctx context.Context, in *struct{ Body api.SeenRequest }) (empty, error) {
	ids := make([]parley.MessageID, len(in.Body.IDs))
	for i, text := range in.Body.IDs {
		var err error
		if ids[i], err = parley.ParseMessageID(text); err != nil {
			return empty{}, err
		}
	}
	return empty{}, s.cfg.Reading.MarkSeen(ctx, caller(ctx), ids)
}
