package contact_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
)

// TestATurnWithoutItsLeaseChangesNothing lets a turn that has lost its task, and
// does not know it, do everything that a turn can do. Whoever took the task over
// is at work, waits, or has given it back.
func TestATurnWithoutItsLeaseChangesNothing(t *testing.T) {
	for _, state := range []struct {
		name string
		take func(d *desk, id parley.TaskID)
	}{
		{"another worker has it", func(d *desk, id parley.TaskID) { d.steal(id) }},
		{"it is queued", func(d *desk, id parley.TaskID) {
			d.store.Change(id, func(t *parley.Task) { t.State, t.Worker = parley.Queued, 0 })
		}},
		{"it waits", func(d *desk, id parley.TaskID) { d.park(id) }},
	} {
		for _, act := range []struct {
			name string
			do   func(d *desk, z *zombie) error
		}{
			{"asks", func(d *desk, z *zombie) error {
				_, err := d.Ask(d.Context(), z.turn, contact.Request{Target: "Cid", Message: "Please."})
				return err
			}},
			{"delegates", func(d *desk, z *zombie) error {
				_, err := d.Delegate(d.Context(), z.turn, contact.Request{Target: "Cid", Message: "Please."})
				return err
			}},
			{"notifies", func(d *desk, z *zombie) error {
				_, err := d.Notify(d.Context(), z.turn, contact.Request{Target: "Cid", Message: "Please."})
				return err
			}},
			{"sends", func(d *desk, z *zombie) error {
				_, err := d.Send(d.Context(), z.turn, contact.Request{Target: "Cid", Message: "Please."})
				return err
			}},
			{"asks a person", func(d *desk, z *zombie) error {
				_, err := d.AskPerson(d.Context(), z.turn, contact.Request{Message: "May I?"})
				return err
			}},
			{"asks a question", func(d *desk, z *zombie) error {
				_, err := d.Question(d.Context(), z.turn, contact.Request{Target: "Cid", Message: "Why?"})
				return err
			}},
			{"asks everyone a question", func(d *desk, z *zombie) error {
				_, err := d.Question(d.Context(), z.turn, contact.Request{Message: "Why?"})
				return err
			}},
			{"answers", func(d *desk, z *zombie) error {
				return d.AnswerQuestion(d.Context(), z.turn, z.question, "Because.", "")
			}},
			{"forwards", func(d *desk, z *zombie) error {
				_, err := d.ForwardQuestion(d.Context(), z.turn, contact.Forwarding{Question: z.question, Target: "Cid", Enrichment: "Ask Cid."})
				return err
			}},
			{"creates a task", func(d *desk, z *zombie) error {
				_, err := d.CreateTask(d.Context(), z.turn, contact.NewTask{Title: "Do it.", Target: "Cid"})
				return err
			}},
			{"awaits", func(d *desk, z *zombie) error {
				_, err := d.AwaitTask(d.Context(), z.turn, z.late)
				return err
			}},
			{"cancels", func(d *desk, z *zombie) error { return d.Cancel(d.Context(), z.turn, z.late) }},
			{"sleeps", func(d *desk, z *zombie) error {
				return d.Sleep(d.Context(), z.turn, "Bob", d.store.Now().Add(anHour).Time())
			}},
			{"ends", func(d *desk, z *zombie) error {
				return errOf(d.EndTurn(d.Context(), parley.TurnEnd{Lease: z.lease, Text: "Done.",
					Steps: []parley.Step{{Task: z.lease.Task, Turn: 1, N: 1, Kind: parley.StepReply, Content: []byte("{}")}}}))
			}},
			{"fails", func(d *desk, z *zombie) error {
				return errOf(d.EndTurn(d.Context(), parley.TurnEnd{Lease: z.lease, Reason: "No."}))
			}},
		} {
			t.Run(state.name+" and it "+act.name, func(t *testing.T) {
				d := newDesk(t, "Ann", "Bob", "Cid")
				z := d.zombie()
				state.take(d, z.lease.Task)
				d.store.Pass(time.Second)
				d.lost(act.name, func() error { return act.do(d, z) })
			})
		}
	}
}

// zombie is Bob's turn on a question of Ann's, which has an ask of its own whose
// time ran out.
type zombie struct {
	lease    parley.Lease
	turn     access.Caller
	question parley.QuestionID
	late     parley.TaskID
}

func (d *desk) zombie() *zombie {
	d.Helper()
	z := &zombie{}
	z.question, _, z.lease = d.asks("Bob")
	z.turn = turn(z.lease)
	z.late = d.contact(z.turn, parley.Ask, "Cid").Task.ID
	d.store.Change(z.late, func(t *parley.Task) { t.Callback = parley.CallbackLate })
	return z
}
