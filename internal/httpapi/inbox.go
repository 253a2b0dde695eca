package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/desk"
)

// registerInbox is what an agent outside the hub needs to work: it waits for messages,
// takes tasks and ends them.
func (s *Server) registerInbox() {
	const tag = "Inbox"
	ended := []parley.Kind{parley.NotFound, parley.Conflict}
	handle(s, operation{id: "wait-inbox", method: http.MethodGet, path: "/v1/inbox/wait", tag: tag,
		summary: "Receive what waits for you",
		description: "Responds at once with what you have not seen, the most urgent first, or waits for it. What is handed out comes again, marked so, " +
			"until you say that you have it: with the cursor in your next call, with ack, with a reply to it or with the end of its task. " +
			"For an agent, a task that is handed out is its own as long as it goes on calling.",
		errors: []parley.Kind{parley.Unavailable, parley.Conflict}}, s.waitInbox)
	handle(s, operation{id: "ack", method: http.MethodPost, path: "/v1/inbox/ack", tag: tag,
		summary: "Acknowledge messages", description: "Marks messages for you as seen, by their ids or by the cursor of a batch."}, s.ack)
	handle(s, operation{id: "my-tasks", method: http.MethodGet, path: "/v1/inbox/tasks", tag: tag,
		summary: "List your open tasks", description: "The tasks that you were given and that have not ended, the most urgent first."}, s.myTasks)
	handle(s, operation{id: "take-task", method: http.MethodPost, path: "/v1/tasks/{id}/take", tag: tag,
		summary: "Take a task", description: "Makes a task that waits for you your own, as receiving it does.", errors: ended}, s.takeTask)
	handle(s, operation{id: "update-task", method: http.MethodPost, path: "/v1/tasks/{id}/update", tag: tag,
		summary: "Say how far a task is", description: "For whoever looks on. It starts nobody's turn.", errors: ended}, s.updateTask)
	handle(s, operation{id: "complete-task", method: http.MethodPost, path: "/v1/tasks/{id}/complete", tag: tag,
		summary: "Complete a task", description: "Ends a task that somebody gave you with its result. The first end counts. An agent's task cannot end while its subtasks are open.", errors: ended}, s.completeTask)
	handle(s, operation{id: "fail-task", method: http.MethodPost, path: "/v1/tasks/{id}/fail", tag: tag,
		summary: "Give a task up", description: "Fails a task that somebody gave you, and cancels what is open below it. Whoever asked reads the reason.",
		errors: append([]parley.Kind{parley.Limited}, ended...)}, s.failTask)
	handle(s, operation{id: "reply-message", method: http.MethodPost, path: "/v1/messages/{id}/reply", tag: tag,
		summary: "Answer a message", description: "Completes the task that the message asks of you; else it is a notification in the same conversation, or a post in the same channel.",
		errors: append([]parley.Kind{parley.Limited, parley.Unavailable}, ended...)}, s.replyMessage)
}

type waitInboxInput struct {
	Cursor string `query:"cursor" doc:"That of your last batch: it has arrived."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"How many at most."`
	Wait   string `query:"wait" default:"0s" example:"60s" doc:"How long to wait if there is nothing, such as 60s; at most 10m."`
	Resume bool   `query:"resume" doc:"Hand out again what you work on and nothing else, without waiting: for a program that was started anew."`
}

func (s *Server) waitInbox(ctx context.Context, in *waitInboxInput) (api.Batch, error) {
	wait, err := time.ParseDuration(in.Wait)
	if err != nil || wait < 0 || wait > desk.LongestWait {
		return api.Batch{}, parley.Errorf(parley.Invalid, "%q is not a time to wait.", parley.Clip(in.Wait, 40)).WithHint("Use something like 60s, at most 10m.")
	}
	waiting, done := s.untilStop(ctx)
	defer done()
	b, err := s.cfg.Desk.Receive(waiting, caller(ctx), desk.Fetch{Cursor: in.Cursor, Limit: in.Limit, Wait: wait, Resume: in.Resume})
	if err != nil {
		return api.Batch{}, orStopping(waiting, err)
	}
	return batch(b), nil
}

func batch(b desk.Batch) api.Batch {
	out := api.Batch{Items: make([]api.BatchItem, 0, len(b.Items)), Cursor: b.Cursor, More: b.More, Unread: b.Unread}
	for _, i := range b.Items {
		out.Items = append(out.Items, api.BatchItem{Message: i.Message.ID.String(), From: i.From, Place: i.Place, Kind: string(i.Message.Kind),
			Text: i.Text, Task: taskID(i.Task), Asks: i.Asks, Again: i.Again, Created: instant(i.Message.At)})
	}
	for _, id := range b.Held {
		out.Held = append(out.Held, id.String())
	}
	return out
}

func (s *Server) ack(ctx context.Context, in *struct{ Body api.AckRequest }) (empty, error) {
	ids := make([]parley.MessageID, len(in.Body.Messages))
	for i, text := range in.Body.Messages {
		var err error
		if ids[i], err = parley.ParseMessageID(text); err != nil {
			return empty{}, err
		}
	}
	return empty{}, s.cfg.Desk.Ack(ctx, caller(ctx), ids, in.Body.Cursor)
}

func (s *Server) myTasks(ctx context.Context, _ *empty) (api.TaskList, error) {
	list, err := s.cfg.Desk.Tasks(ctx, caller(ctx))
	out := api.TaskList{Tasks: make([]api.Task, 0, len(list))}
	for _, t := range list {
		out.Tasks = append(out.Tasks, s.task(ctx, t, ""))
	}
	return out, err
}

func (s *Server) takeTask(ctx context.Context, in *TaskPath) (api.Task, error) {
	return s.change(ctx, in.ID, func(ctx context.Context, c access.Caller, id parley.TaskID) error {
		_, err := s.cfg.Desk.Take(ctx, c, id)
		return err
	})
}

func (s *Server) updateTask(ctx context.Context, in *struct {
	TaskPath
	Body api.UpdateRequest
}) (api.Task, error) {
	return s.change(ctx, in.ID, func(ctx context.Context, c access.Caller, id parley.TaskID) error {
		return s.cfg.Desk.Update(ctx, c, id, in.Body.Note)
	})
}

func (s *Server) completeTask(ctx context.Context, in *struct {
	TaskPath
	Body api.CompleteRequest
}) (api.Task, error) {
	return s.change(ctx, in.ID, func(ctx context.Context, c access.Caller, id parley.TaskID) error {
		return s.cfg.Desk.Complete(ctx, c, id, in.Body.Result)
	})
}

func (s *Server) failTask(ctx context.Context, in *struct {
	TaskPath
	Body api.FailRequest
}) (api.Task, error) {
	return s.change(ctx, in.ID, func(ctx context.Context, c access.Caller, id parley.TaskID) error {
		return s.cfg.Desk.Fail(ctx, c, id, in.Body.Reason)
	})
}

func (s *Server) replyMessage(ctx context.Context, in *struct {
	ID   string `path:"id" example:"msg-7" doc:"The message."`
	Body api.AnswerMessageRequest
}) (api.AnsweredMessage, error) {
	id, err := parley.ParseMessageID(in.ID)
	if err != nil {
		return api.AnsweredMessage{}, err
	}
	text, err := s.cfg.Desk.Reply(ctx, caller(ctx), id, in.Body.Text)
	return api.AnsweredMessage{Text: text}, err
}
