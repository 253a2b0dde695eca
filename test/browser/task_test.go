package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// workshop is a team in which tasks fail, wait and change files.
const workshop = `
-- parley.yaml --
team: orchard
person: Mira
people: [Jonas]
lead: CoordinatorBot
model: scripted:script.yaml
limits: {rate: 6000}
-- agents/CoordinatorBot.md --
You lead.
-- agents/ChartBot.md --
You draw.
-- agents/WriterBot.md --
---
toolsets: [workspace]
profile: open
---
You write.
-- report/old.md --
One.
Two.
-- script.yaml --
agents:
  CoordinatorBot:
    - match: 'the report'
      steps:
        - say: 'First the picture, then the text.'
          usage: {input: 6120, output: 188, money: 0.007}
          call: contact_agent
          args: {action: delegate, agentId: ChartBot, message: 'Draw the revenue.'}
        - call: contact_agent
          args: {action: ask, agentId: Mira, message: 'Which quarter?'}
        - say: 'Waiting for ChartBot.'
    - match: 'hold on'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: Mira, message: 'How long?'}
        - say: 'Held.'
    - steps: [{say: 'The report is done.'}]
  ChartBot:
    - match: 'revenue'
      steps: [{fail: 'Rate limit exceeded.'}]
  WriterBot:
    - match: 'Rewrite'
      steps:
        - call: write_file
          args: {path: report/new.md, content: "Hello <b>there</b>.\n"}
        - call: write_file
          args: {path: report/old.md, digest: 4ff383aed1c1, content: "One.\nThree.\n"}
        - say: 'Written.'
`

func TestATaskIsShownFromItsBeginningToItsEnd(t *testing.T) {
	w := newWorld(t, workshop)
	page := w.signIn()
	task := w.contact("delegate", "CoordinatorBot", "Write the report.").Task.ID
	page.open("/tasks/" + task)
	page.see("h1", "Write the report.")
	page.see("#task-head", "delegated to")
	page.see("#task-tree .t-note", "Rate limit exceeded.")
	page.see("#task-tree [aria-current]", "Write the report.")
	page.see("#task-lanes", "failed after")
	page.see("#task-head .now", "waits for Mira")
	page.see("#task-tree .t-note", "Answer")

	// A step that is unfolded stays so while others come.
	page.click("#task-steps li:nth-child(3) summary")
	page.see("#task-steps .step[open]", "Draw the revenue.")
	page.see("#task-steps .step[open]", "Delegated to ChartBot")
	before := eval[int](page, `document.querySelectorAll("#task-steps .step").length`)

	// The failed part is tried again from its own page; the result comes back.
	page.see("#task-seq li", "ChartBot to CoordinatorBot: failed Rate limit exceeded.")
	failed := w.childOf(task, "ChartBot")
	other := w.tabOf("Jonas")
	other.open("/tasks/" + failed)
	other.see("#task-result", "Failed. Rate limit exceeded.")
	other.see(".acts", "Resume")
	other.click(".acts form[action$=retry] button")
	other.see(".told", "begins "+failed+" anew.")
	other.see("#task-head", "instead of "+failed)
	page.see("#task-tree", "instead of "+failed)
	other.see("#task-result", "Failed.")
	other.click(".acts form[action$=resume] button")
	other.see(".told", "goes on where")

	w.answer("CoordinatorBot", "The third.")
	page.until("more steps", `document.querySelectorAll("#task-steps .step").length > +%s`, before)
	page.see("#task-steps .step[open]", "Draw the revenue.")
	page.see("#task-result", "The report is done.")
	page.see("#task-head", "completed")
	page.unseen(".acts", "Cancel")
	page.until("no button without an end", `document.querySelectorAll("#task-seq a").length >= 6`)

	// Arrows lead to the task, or to the message.
	if got := eval[[]string](page, `[...document.querySelectorAll("#task-seq a")].map(a => a.getAttribute("href").replace(/[0-9]+/, "N"))`); !slices.Contains(got, "/messages/msg-N") {
		t.Errorf("no arrow leads to its message: %q", got)
	}
	page.until("an arrow of the picture", `document.querySelector("#task-seq svg.arrow line").getBoundingClientRect().width > 20`)
	page.click("#task-seq li:nth-child(2) a")
	page.see("h1", "Draw the revenue.")
	page.click("#task-tree li#row-" + task + " a")
	page.see("h1", "Write the report.")
	page.open("/tasks")
	page.see("#tasks-list", "Nobody works on anything.")
	page.see("section[aria-labelledby=ended-h]", "Write the report.")
	page.do(chromedp.SetValue(chromedp.CSS("#f-state"), "failed"))
	page.click(".toolbar .btn")
	page.see("#tasks-list", "Draw the revenue.") // a part of a tree, which has not failed
	page.unseen("#tasks-list", "Write the report.")
}

func TestATreeIsCancelledByOneAndSeenByAnother(t *testing.T) {
	w := newWorld(t, workshop)
	mira := w.signIn()
	task := w.contact("delegate", "CoordinatorBot", "Please hold on.").Task.ID
	mira.open("/tasks/" + task)
	mira.see("#task-head .now", "waits for Mira")
	jonas := w.tabOf("Jonas")
	jonas.open("/tasks/" + task)
	jonas.see("#task-head .now", "waits for Mira")

	// What happens in another tree is none of this page's business.
	mira.until("counting", `(window.asked = 0, window.fetch = (f => (u, o) => { if (o?.headers?.["Parley-Parts"]?.includes("task-")) asked++; return f(u, o); })(window.fetch), true)`)
	w.ended(w.contact("delegate", "WriterBot", "Rewrite it.").Task.ID)
	mira.see("#side", "WriterBot")
	if n := eval[int](mira, `asked`); n != 0 {
		t.Errorf("the page of a task was read %d times for another tree", n)
	}

	// Jonas adds budget by the keyboard alone; what is wrong is said where it was written.
	jonas.focus("#act-budget summary")
	jonas.press(kb.Enter)
	jonas.focus("#b-money")
	jonas.press("much" + kb.Enter)
	jonas.see("#act-budget .form-problem", "Write dollars like 2.50")
	jonas.press(kb.Backspace + kb.Backspace + kb.Backspace + kb.Backspace + "2.50" + kb.Enter)
	jonas.see(".told", "The tree may spend money=2.5")
	mira.see("#task-cost", "of $2.50")
	jonas.focus("#act-budget summary")
	jonas.press(kb.Enter)
	jonas.focus("#b-money")
	jonas.press("1" + kb.Enter)
	mira.see("#task-cost", "of $3.50")

	jonas.focus("#act-cancel-tree summary")
	jonas.press(kb.Enter)
	jonas.see("#act-cancel-tree", "This ends all 2 open tasks of "+task+" for good.")
	jonas.press(kb.Tab + kb.Enter)
	jonas.see(".told", task+" is cancelled")
	mira.see("#task-head", "cancelled")
	mira.see("#task-result", "Jonas")
	mira.see(".acts", "Retry")
	mira.unseen(".acts", "Resume")
	if got := w.ended(task); got.State != "cancelled" {
		t.Errorf("%s", got.State)
	}
}

func TestWhatATaskChangedIsShownAndTakenBack(t *testing.T) {
	w := newWorld(t, workshop)
	task := w.contact("delegate", "WriterBot", "Rewrite it.").Task.ID
	if got := w.ended(task); got.Result != "Written." {
		t.Fatalf("%s: %s", got.State, got.Error)
	}
	page := w.signIn()
	page.narrow()
	page.open("/tasks/" + task)
	page.see("#task-files", "report/new.md")
	page.focus("#task-steps button[data-unfold]")
	page.readAgain("task-steps", "[data-unfold]", "hidden")
	page.press(kb.Enter)
	page.see("#task-steps .step[open]", "Changed report/old.md")
	page.see("#task-steps button[data-unfold]", "Fold all")
	page.fits()
	page.focus("#task-files .sec-h a")
	page.press(kb.Enter)
	page.see("h1", "What "+task+" changed")
	page.see(".l-del", "-Two.")
	page.see(".l-add", "+Three.")
	page.see(".l-add", "+Hello <b>there</b>.")
	page.fits()

	// Somebody else has changed a file since: it is refused by name, the rest is offered.
	w.write("report/new.md", "Mine now.\n")
	page.open("/tasks/" + task + "/undo")
	page.see("#undo-refused", "report/new.md")
	page.see("#undo-files", "report/old.md")
	page.see("form", "Take back the rest")
	w.write("report/new.md", "Hello <b>there</b>.\n")
	page.open("/tasks/" + task)
	page.focus(".acts a[href$=undo]")
	page.press(kb.Enter)
	page.see("h1", "Take back what "+task+" changed?")
	page.focus("main form button")
	page.press(kb.Enter)
	page.see(".told", "Took back 2 files of "+task+".")
	page.see("#task-files", "taken back")
	page.unseen(".acts", "Undo")
	if got := w.read("report/old.md"); got != "One.\nTwo.\n" {
		t.Errorf("%q", got)
	}
	page.open("/tasks/" + task + "/undo")
	page.see("h1", "It was taken back before.")
}
