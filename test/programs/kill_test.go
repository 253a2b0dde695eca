package programs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

// What a program was doing when it was killed is done after it was started again: each
// task is ended once, and asks what it asks once.
func TestKilledPrograms(t *testing.T) {
	for _, c := range gated {
		t.Run(c.name, func(t *testing.T) {
			h, g := newHub(t), newGate(t)
			token, command := h.token("Counter").Secret, c.command(t)
			p := h.runGated(token, g, command)

			// In the middle of tasks: before they have asked, and then after some have.
			tasks := h.delegateAll(2)
			p = h.killAt(p, g, tasks, func() *program { return h.runGated(token, g, command) })
			tasks = append(tasks, h.delegate("Counter", "Ask first."))
			p = h.killAt(p, g, tasks, func() *program { return h.runGated(token, g, command) })
			p = h.killAt(p, g, tasks, func() *program { return h.runGated(token, g, command) })
			h.arriveAt(g, tasks)
			close(g.pass)
			h.doneOnce(tasks)

			// In a long poll, which then has nothing to hand out any more.
			h.eventually("the program waits", func() bool { return h.connected("Counter") })
			p.kill()
			tasks = append(tasks, h.delegateAll(1)...)
			p = h.runGated(token, g, command)
			h.doneOnce(tasks)

			// While it ends tasks, whatever it has come to.
			for range 3 {
				more := h.delegateAll(4)
				g.next(h)
				p.kill()
				p = h.runGated(token, g, command)
				tasks = append(tasks, more...)
			}
			h.doneOnce(tasks)
			p.terminate()
			if !strings.Contains(p.said.String(), "stopped in order") {
				t.Errorf("the program said: %s", p.said)
			}
		})
	}
}

func (h *hub) delegateAll(n int) (tasks []string) {
	h.t.Helper()
	for range n {
		tasks = append(tasks, h.delegate("Counter", "Count."))
	}
	return tasks
}

// arriveAt waits until all tasks have come to the gate.
func (h *hub) arriveAt(g *gate, tasks []string) {
	h.t.Helper()
	for left := slices.Clone(tasks); len(left) > 0; {
		task := g.next(h)
		left = slices.DeleteFunc(left, func(id string) bool { return id == task })
	}
}

// killAt kills a program while all its tasks are at the gate, and starts it again.
func (h *hub) killAt(p *program, g *gate, tasks []string, again func() *program) *program {
	h.t.Helper()
	h.arriveAt(g, tasks)
	p.kill()
	return again()
}

func (h *hub) connected(name string) bool {
	agents, err := h.person.Agents(h.t.Context())
	h.must(err)
	for _, a := range agents {
		if a.Name == name {
			return a.Status != string(parley.StatusSleeping)
		}
	}
	return false
}

// doneOnce expects that each task ended once, with its own result, that it asked DataBot
// once, and that its result came to whoever asked once.
func (h *hub) doneOnce(tasks []string) {
	h.t.Helper()
	for _, task := range tasks {
		h.completed(task, "42 million. "+task)
		tree, err := h.person.Tree(h.t.Context(), task)
		h.must(err)
		if len(tree.Children) != 1 {
			h.t.Errorf("%s asked %d times", task, len(tree.Children))
		}
	}
	ends := map[string]int{}
	for e, err := range h.person.Record(h.t.Context(), client.EventFilter{Kind: string(parley.EventCompleted), Agent: "Counter"}, "", false) {
		h.must(err)
		ends[e.Task]++
	}
	inbox, err := h.person.Inbox(h.t.Context(), 500)
	h.must(err)
	came := map[string]int{}
	for _, m := range inbox.Items {
		came[m.Task]++
	}
	for _, task := range tasks {
		if got, want := fmt.Sprint(ends[task], came[task]), "1 1"; got != want {
			h.t.Errorf("%s ended and came back %s times, want %s", task, got, want)
		}
	}
}

// A program whose token is revoked ends and says why, whether it waits or works.
func TestARevokedTokenEndsThePrograms(t *testing.T) {
	for _, c := range gated {
		t.Run(c.name, func(t *testing.T) {
			h, g := newHub(t), newGate(t)
			command := c.command(t)
			for _, working := range []bool{false, true} {
				token := h.token("Counter")
				p := h.runGated(token.Secret, g, command)
				if working {
					h.arriveAt(g, h.delegateAll(1))
				} else {
					h.eventually("the program waits", func() bool { return h.connected("Counter") })
				}
				_, err := h.person.RevokeToken(t.Context(), token.ID)
				h.must(err)
				if code := p.end(); code == 0 || !strings.Contains(p.said.String(), "token") || strings.Contains(p.said.String(), "stopped in order") {
					t.Errorf("working: %v: code %d, said:\n%s", working, code, p.said)
				}
			}
			if command[0] != "python3" {
				return
			}
			p := h.run("parley_wrong", nil, "python3", root(t)+"/examples/python-agent/agent.py")
			if code := p.end(); code == 0 || !strings.Contains(p.said.String(), "token") {
				t.Errorf("a wrong token: code %d, said:\n%s", code, p.said)
			}
			p = h.run("parley_wrong", nil, root(t)+"/examples/curl-agent/agent.sh")
			if code := p.end(); code == 0 || !strings.Contains(p.said.String(), "token") {
				t.Errorf("a wrong token for curl: code %d, said:\n%s", code, p.said)
			}
		})
	}
}

// A hub that stops and starts again is waited for: by a program that waits for work, by
// one that works, and by one that is about to end its task.
func TestAStoppedHubIsWaitedFor(t *testing.T) {
	for _, c := range gated {
		t.Run(c.name, func(t *testing.T) {
			h, g := newHub(t), newGate(t)
			p := h.runGated(h.token("Counter").Secret, g, c.command(t))
			h.eventually("the program waits", func() bool { return h.connected("Counter") })
			h.halt()
			h.start()
			tasks := []string{h.delegate("Counter", "Ask first."), h.delegate("Counter", "Ask first.")}
			h.arriveAt(g, tasks) // with their answers
			h.halt()
			close(g.pass)
			h.eventually("the program has noticed", func() bool { return strings.Contains(p.said.String(), "could not be ended yet") })
			h.start()
			h.doneOnce(tasks)
			h.doneOnce(h.delegateAll(1))
			p.terminate()
		})
	}
}
