package watch

import (
	"context"
	"iter"

	"parley/api"
	"parley/client"
)

// Hub is what is needed of a hub. A client has it.
type Hub interface {
	Hub(ctx context.Context) (api.Hub, error)
	AgentList(ctx context.Context) (api.AgentList, error)
	Tasks(ctx context.Context, f client.TaskFilter) ([]api.Task, error)
	MyTasks(ctx context.Context) ([]api.Task, error)
	Channels(ctx context.Context) ([]api.Channel, error)
	Approvals(ctx context.Context, all bool, limit int) ([]api.Approval, error)
	TeamBudget(ctx context.Context) (api.Spending, error)
	Record(ctx context.Context, f client.EventFilter, cursor string, follow bool) iter.Seq2[api.Event, error]
	Steps(ctx context.Context, q client.StepQuery) (api.StepList, error)
	FollowSteps(ctx context.Context, q client.StepQuery, take func(api.Step) error) error

	Task(ctx context.Context, id string) (api.Task, error)
	Message(ctx context.Context, id string) (api.MessageRecord, error)
	Approval(ctx context.Context, id string) (api.Approval, error)

	Approve(ctx context.Context, id, digest string) (api.Approval, error)
	Deny(ctx context.Context, id, digest, reason string) (api.Approval, error)
	ApproveAlways(ctx context.Context, a api.Approval) error
	Complete(ctx context.Context, id, result string) (api.Task, error)
	Fail(ctx context.Context, id, reason string) (api.Task, error)
	AnswerQuestion(ctx context.Context, id string, r api.AnswerRequest) (api.Question, error)
	Contact(ctx context.Context, r api.ContactRequest) (api.Contact, error)
	Post(ctx context.Context, r api.PostRequest) (api.Posted, error)
	Close()
}

// Dial finds the hub of the team. After a restart it may be at another address.
type Dial func() (Hub, error)
