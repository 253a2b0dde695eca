package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/reading"
)

func (s *Server) registerApprovals() {
	const tag = "Approvals"
	missing := []parley.Kind{parley.NotFound}
	decided := []parley.Kind{parley.NotFound, parley.Conflict}
	handle(s, operation{id: "list-approvals", method: http.MethodGet, path: "/v1/approvals", tag: tag,
		summary: "List approvals", description: "The approvals that wait for a decision, oldest first. An agent sees its own and those that it decides as a manager.",
		errors: missing}, s.listApprovals)
	handle(s, operation{id: "get-approval", method: http.MethodGet, path: "/v1/approvals/{id}", tag: tag,
		summary: "Read an approval", description: "One approval, with the exact arguments of the call.", errors: missing}, s.getApproval)
	handle(s, operation{id: "approve", method: http.MethodPost, path: "/v1/approvals/{id}/approve", tag: tag,
		summary: "Approve a call", description: "Lets the call run, once and exactly as shown. A person of the team or the agent's manager decides. The first decision counts.",
		errors: decided}, s.approve)
	handle(s, operation{id: "deny", method: http.MethodPost, path: "/v1/approvals/{id}/deny", tag: tag,
		summary: "Deny a call", description: "Refuses the call. Its agent reads the reason. A person of the team or the agent's manager decides. The first decision counts.",
		errors: append([]parley.Kind{parley.Limited}, decided...)}, s.deny)
	handle(s, operation{id: "withdraw", method: http.MethodPost, path: "/v1/approvals/{id}/withdraw", tag: tag,
		summary: "Withdraw a request", description: "Takes back your own contact while it waits for approval.",
		errors: decided}, s.withdraw)
}

// ApprovalPath names an approval in a path.
type ApprovalPath struct {
	ID string `path:"id" example:"approval-7-kqwzmtrp" doc:"The approval. People may leave the letters out."`
}

type listApprovalsInput struct {
	Page
	All  bool   `query:"all" doc:"Include those that are decided, newest first."`
	Task string `query:"task" example:"task-101" doc:"Only those that this task waits for."`
}

func (s *Server) listApprovals(ctx context.Context, in *listApprovalsInput) (api.ApprovalList, error) {
	if in.Task != "" {
		return s.taskApprovals(ctx, in.Task)
	}
	list, err := s.cfg.Reading.Approvals(ctx, caller(ctx), in.All, in.Limit)
	return api.ApprovalList{Approvals: s.approvals(ctx, list)}, err
}

func (s *Server) taskApprovals(ctx context.Context, task string) (api.ApprovalList, error) {
	id, err := parley.ParseTaskID(task)
	if err != nil {
		return api.ApprovalList{}, err
	}
	list, err := s.cfg.Reading.TaskApprovals(ctx, caller(ctx), id)
	return api.ApprovalList{Approvals: s.approvals(ctx, list)}, err
}

func (s *Server) getApproval(ctx context.Context, in *ApprovalPath) (api.Approval, error) {
	ref, err := parley.ParseApprovalRef(in.ID)
	if err != nil {
		return api.Approval{}, err
	}
	a, err := s.cfg.Reading.Approval(ctx, caller(ctx), ref)
	if err != nil {
		return api.Approval{}, err
	}
	return s.approval(ctx, a), nil
}

func (s *Server) approve(ctx context.Context, in *struct {
	ApprovalPath
	Body *api.ApproveRequest
}) (api.Approval, error) {
	digest := ""
	if in.Body != nil {
		digest = in.Body.Digest
	}
	return s.decide(ctx, &in.ApprovalPath, digest, func(ctx context.Context, c access.Caller, ref parley.ApprovalRef) error {
		_, err := s.cfg.Contacts.Approve(ctx, c, ref)
		return err
	})
}

func (s *Server) deny(ctx context.Context, in *struct {
	ApprovalPath
	Body api.DenyRequest
}) (api.Approval, error) {
	return s.decide(ctx, &in.ApprovalPath, in.Body.Digest, func(ctx context.Context, c access.Caller, ref parley.ApprovalRef) error {
		_, err := s.cfg.Contacts.Deny(ctx, c, ref, in.Body.Reason)
		return err
	})
}

func (s *Server) withdraw(ctx context.Context, in *ApprovalPath) (api.Approval, error) {
	return s.decide(ctx, in, "", s.cfg.Contacts.Withdraw)
}

// decide returns the approval as it is after the decision.
func (s *Server) decide(ctx context.Context, in *ApprovalPath, digest string, do func(context.Context, access.Caller, parley.ApprovalRef) error) (api.Approval, error) {
	ref, err := parley.ParseApprovalRef(in.ID)
	if err != nil {
		return api.Approval{}, err
	}
	ref.Digest = digest
	if err := do(ctx, caller(ctx), ref); err != nil {
		return api.Approval{}, err
	}
	return s.getApproval(ctx, in)
}

func (s *Server) approvals(ctx context.Context, list []reading.Approval) []api.Approval {
	out := make([]api.Approval, 0, len(list))
	for _, a := range list {
		out = append(out, s.approval(ctx, a))
	}
	return out
}

func (s *Server) approval(ctx context.Context, a reading.Approval) api.Approval {
	out := api.Approval{
		ID: a.Name, State: a.State.String(), Agent: s.name(ctx, a.Agent), Wants: a.Wants, Left: a.Left, Tool: a.Tool,
		Arguments: json.RawMessage(a.Args), Digest: a.Digest, Target: s.name(ctx, a.Target), Task: taskID(a.Task),
		Rule: a.Rule, Why: a.Approval.Reason, People: a.PeopleOnly, Created: instant(a.CreatedAt), Expires: instant(a.ExpiresAt),
		Decided: moment(a.DecidedAt), DecidedBy: s.name(ctx, a.DecidedBy), Reason: a.Comment,
		Message: messageID(a.Message), Made: taskID(a.Made), Failure: a.Failure, NotAlways: a.NotAlways,
	}
	if a.Always.Word != "" {
		out.Always = &api.AlwaysRule{Key: string(a.Always.Key), Value: a.Always.Word, Covers: a.Always.Covers}
	}
	return out
}
