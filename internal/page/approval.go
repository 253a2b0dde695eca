package page

import (
	"errors"
	"net/url"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/join"
	"parley/internal/reading"
	"parley/internal/rulebook"
)

func (d *Door) registerApprovals() {
	d.show("/approvals", "approvals", func(v *visit) (any, error) { return v.approvals() })
	d.show("/approvals/{id}", "approval", func(v *visit) (any, error) { return v.approval() })
	d.act("/approvals/{id}/approve", (*visit).approve)
	d.act("/approvals/{id}/deny", (*visit).deny)
	d.act("/approvals/{id}/always", (*visit).always)
}

// Approvals lists what agents want to do.
type Approvals struct {
	All  bool // decided ones too
	List []ApprovalRow
	More bool
}

func (Approvals) Titled() (title, here string) { return "Approvals", "/" }

// ApprovalRow is one of them.
type ApprovalRow struct {
	reading.Approval
	Who  Who
	URL  string
	Mark Mark
	By   Who // who decided
}

const approvalRows = 100

func (v *visit) approvals() (a Approvals, err error) {
	a.All = v.r.URL.Query().Has("all")
	list, err := v.Reading.Approvals(v.ctx, v.Caller, a.All, approvalRows+1)
	if err != nil {
		return a, err
	}
	if a.More = len(list) > approvalRows; a.More {
		list = list[:approvalRows]
	}
	for _, one := range list {
		row := ApprovalRow{Approval: one, Who: v.whois(one.Agent), URL: "/approvals/" + url.PathEscape(one.Name), Mark: decisionMark(one)}
		if one.DecidedBy != 0 {
			row.By = v.whois(one.DecidedBy)
		}
		a.List = append(a.List, row)
	}
	return a, nil
}

func decisionMark(a reading.Approval) Mark {
	switch {
	case a.State == parley.ApprovalPending && a.Decides:
		return Mark{"you", "waits for you"}
	case a.State == parley.ApprovalPending:
		return Mark{"wait", "waits for somebody else"}
	case a.State == parley.ApprovalApproved:
		return Mark{"done", "approved"}
	case a.State == parley.ApprovalDenied:
		return Mark{"fail", "denied"}
	}
	return Mark{"cancel", a.State.String()}
}

// Approval is what an agent wants to do, with all that a decision about it takes.
type Approval struct {
	reading.Approval
	Who, Target Who
	Mark        Mark
	By          Who // who decided
	What        string
	On          string
	Payload     Payload
	Title, Root string
	TaskURL     string
	RootURL     string
	Why         *Quoted
	Explain     string // the address where the rule is explained
	// Grant is the rule that Always writes; nil if there is none.
	Grant  *Grant
	Others int // further approvals that wait for the visitor
	Next   string
}

// Grant is the rule that Always writes.
type Grant struct {
	Key, Word, File string
	Diff            []DiffLine
}

// Quoted is a message that is shown elsewhere than in its conversation.
type Quoted struct {
	Who     Who
	At      parley.Micros
	URL     string
	Body    string
	Context string
}

func (a Approval) Titled() (title, here string) { return "May " + a.Who.Name + " " + a.What + "?", "/" }

// Pending reports whether nobody has decided.
func (a Approval) Pending() bool { return a.State == parley.ApprovalPending }

func (v *visit) approval() (Approval, error) {
	found, err := v.readApproval()
	if err != nil {
		return Approval{}, err
	}
	a := Approval{Approval: found, Who: v.whois(found.Agent), Mark: decisionMark(found)}
	if found.DecidedBy != 0 {
		a.By = v.whois(found.DecidedBy)
	}
	a.Payload = payloadOf(found.Approval)
	a.nameCall(v)
	if a.Pending() && a.Decides {
		a.Grant = v.grant(found)
	}
	v.nextApproval(&a)
	v.whyApproval(&a)
	return a, nil
}

// nameCall says in a few words what is wanted. The whole of it stands below.
func (a *Approval) nameCall(v *visit) {
	query := url.Values{"action": {"ask"}}
	if a.Approval.Target != 0 {
		a.Target = v.whois(a.Approval.Target)
		a.What = "contact " + a.Target.Name
		query.Set("to", a.Target.Name)
		a.Explain = a.Who.URL() + "/rules?" + query.Encode()
		return
	}
	a.What = "call " + a.Tool
	a.Explain = a.Who.URL() + "/rules"
	a.On = a.Payload.on()
}

// on is the file or the command that a call is about; empty if that takes more than a few
// words, or if there are two.
func (p Payload) on() (what string) {
	for _, f := range p.Fields {
		switch {
		case f.Name != "path" && f.Name != "command":
		case what != "" || f.Long || f.Again || len(f.Text) >= 100:
			return ""
		default:
			what = f.Text
		}
	}
	return what
}

// workVerbs are what the tools for files do.
var workVerbs = map[string]string{"write_file": "write ", "replace_block": "change ", "shell": "run "}

// wants says in a few words what an approval is about, where the rest of it is a link away.
func wants(a reading.Approval) string {
	if verb := workVerbs[a.Tool]; verb != "" {
		if on := payloadOf(a.Approval).on(); on != "" {
			return verb + on
		}
	}
	return a.Wants
}

// grant is the rule that always allows such a call, as it would be written.
func (v *visit) grant(a reading.Approval) *Grant {
	rules := v.rules()
	if a.Always.Word == "" || rules == nil {
		return nil
	}
	g := &Grant{Key: string(a.Always.Key), Word: a.Always.Word}
	trial, err := rules.Try(v.ctx, v.Caller, rulebook.Edit{Agent: v.whois(a.Agent).Name, Verb: "add", Key: g.Key, Words: []string{g.Word}})
	if err != nil {
		return nil // the file cannot be changed, so the rule cannot be written
	}
	g.File, g.Diff = trial.File, diffOf(trial)
	return g
}

// diffOf is what a trial would change in the file, without the heading that names it.
func diffOf(t rulebook.Trial) (list []DiffLine) {
	text := join.Change{Path: t.File, Before: []byte(t.Before), After: []byte(t.After)}.Diff()
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case i < 2 || line == "" || line[0] == '@':
		case line[0] == '+':
			list = append(list, DiffLine{"add", line})
		case line[0] == '-':
			list = append(list, DiffLine{"del", line})
		default:
			list = append(list, DiffLine{"", line})
		}
	}
	return list
}

// rules are those of the visitor's team; nil if the hub has no files of it.
func (v *visit) rules() *rulebook.Service {
	if v.Rules == nil {
		return nil
	}
	return v.Rules(v.Team)
}

func (v *visit) nextApproval(a *Approval) {
	list, err := v.decides()
	if err != nil {
		return // it is only a way to go on
	}
	for _, other := range list {
		if other.ID == a.ID {
			continue
		}
		if a.Others++; a.Next == "" {
			a.Next = "/approvals/" + url.PathEscape(other.Name)
		}
	}
}

// whyApproval adds the work that the call is for. It may have been removed.
func (v *visit) whyApproval(a *Approval) {
	if a.Approval.Approval.Task == 0 {
		return
	}
	t, err := v.Reading.Task(v.ctx, v.Caller, a.Approval.Approval.Task)
	if err != nil {
		return
	}
	a.Title, a.TaskURL = t.Title, "/tasks/"+t.ID.String()
	if t.Root != t.ID {
		if root, err := v.Reading.Task(v.ctx, v.Caller, t.Root); err == nil {
			a.Root, a.RootURL = root.Title, "/tasks/"+root.ID.String()
		}
	}
	if m, err := v.Reading.Message(v.ctx, v.Caller, t.Request); err == nil {
		a.Why = v.quoted(m.Message)
	}
}

// longestQuote is how much of a message is shown outside its conversation.
const longestQuote = 4000

// quoted is a message to be shown beside something else; its address shows all of it.
func (v *visit) quoted(m parley.Message) *Quoted {
	return &Quoted{Who: v.whois(m.Author), At: m.At, URL: "/messages/" + m.ID.String(), Body: clip(m.Body), Context: clip(m.Context)}
}

// clip cuts a long text and says how much of it is missing.
func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= longestQuote {
		return text
	}
	return string(runes[:longestQuote]) + "…\n\n" + plural(len(runes)-longestQuote, "more character", "more characters")
}

func (v *visit) readApproval() (reading.Approval, error) {
	ref, err := parley.ParseApprovalRef(v.r.PathValue("id"))
	if err != nil {
		return reading.Approval{}, err
	}
	return v.Reading.Approval(v.ctx, v.Caller, ref)
}

// deciding is the approval that a form is about, as it was shown.
func (v *visit) deciding() (parley.ApprovalRef, access.Caller, error) {
	ref, err := parley.ParseApprovalRef(v.r.PathValue("id"))
	ref.Digest = v.r.PostFormValue("digest")
	if err == nil && ref.Digest == "" {
		err = parley.Errorf(parley.Invalid, "It is not said what was shown.").WithHint("Open the approval again.")
	}
	return ref, v.Caller, err
}

func (v *visit) approve() (Done, error) {
	ref, c, err := v.deciding()
	if err == nil {
		_, err = v.Contacts.Approve(v.ctx, c, ref)
	}
	return Done{}, asShown(err)
}

// errOther is said to who decides about another call than the one that waits.
var errOther = parley.Errorf(parley.Conflict, "The call is not the one that was shown.").WithHint("Open the approval again.")

// asShown is an error in the words of the page, which names an approval by showing it.
func asShown(err error) error {
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Rule == access.RuleShown {
		return errOther
	}
	return err
}

func (v *visit) deny() (Done, error) {
	ref, c, err := v.deciding()
	if err == nil {
		_, err = v.Contacts.Deny(v.ctx, c, ref, strings.TrimSpace(v.r.PostFormValue("reason")))
	}
	return Done{}, asShown(err)
}

// always writes the rule that was shown, and approves this call.
func (v *visit) always() (Done, error) {
	ref, c, err := v.deciding()
	if err != nil {
		return Done{}, err
	}
	rules := v.rules()
	if rules == nil {
		return Done{}, parley.Errorf(parley.NotFound, "This hub has no files of your team.").WithHint("Approve it this time.")
	}
	key, word := v.r.PostFormValue("rule"), v.r.PostFormValue("word")
	name, err := rules.Always(v.ctx, c, ref, key, word)
	return Done{Said: "Approved, and written for " + name + ": " + key + " " + word}, asShown(err)
}
