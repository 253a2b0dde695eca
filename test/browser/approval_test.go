package browser

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/api"
	"parley/client"
)

// asking is a team in which agents need approvals and ask people.
const asking = `
-- parley.yaml --
team: orchard
person: Mira
people: [Jonas]
model: scripted:script.yaml
limits: {rate: 6000}
-- agents/WriterBot.md --
---
contacts:
  - {allow: DataBot, requires_approval: true}
---
You write.
-- agents/CoordinatorBot.md --
---
description: Coordinates what the others do.
---
You coordinate.
-- agents/DataBot.md --
You know the figures.
-- script.yaml --
agents:
  CoordinatorBot:
    - match: 'ask (\w+) (.*)'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: '{{match 1}}', message: '{{match 2}}'}
        - say: 'It came to: {{result}}'
    - steps: [{say: 'Well.'}]
  DataBot:
    - steps: [{say: '4.3 million'}]
  WriterBot:
    - match: 'choose'
      steps:
        - call: ask_user
          args: {question: 'Which colour?', options: [blue, 'deep   red']}
        - say: 'You said: {{result}}'
    - match: 'ask (?s:(.*))'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: DataBot, message: '{{match 1}}'}
        - say: 'It came to: {{result}}'
`

// enterAs opens a tab in which another person has signed in.
func (w *world) enterAs(name string) *tab {
	w.Helper()
	made, err := w.CreateToken(w.Context(), api.TokenRequest{For: name})
	if err != nil {
		w.Fatal(err)
	}
	other := client.New(w.url, made.Secret)
	defer other.Close()
	link, err := other.CreateLink(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	t := w.newTab()
	t.open(w.url + link.Path)
	t.see("#needs-h", "")
	return t
}

// file is what a file of the team says.
func (w *world) file(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// pending waits for the approval that a task waits for.
func (t *tab) pending() string {
	t.Helper()
	t.open("/approvals")
	t.see("#approval-list .row", "")
	return eval[string](t, `new URL(document.querySelector("#approval-list .row a").href).pathname`)
}

func TestApprovalsAreReadWholeAndDecided(t *testing.T) {
	w := newWorld(t, asking)
	mira, jonas := w.signIn(), w.enterAs("Jonas")

	// Both read it; one decides, and the other sees who did.
	asked := w.contact("delegate", "WriterBot", "ask What was the revenue?")
	mira.see(".need", "WriterBot wants to ask DataBot")
	mira.click(".need-approval a.btn-1")
	mira.see("h1", "May WriterBot contact DataBot?")
	mira.see(".kv", "What was the revenue?")
	mira.see("#decide", "only with approval")
	jonas.open(strings.TrimPrefix(mira.where(), w.url))
	jonas.see("#approve", "Approve")
	before := eval[[]float64](jonas, places)
	for _, key := range []string{"a", "y", "\r", " "} { // nothing is approved by a single key
		mira.press(key)
	}
	// What was not shown is not approved.
	shown := eval[string](mira, `(() => { const f = document.querySelector("#approve [name=digest]"), was = f.value; f.value = "0".repeat(64); return was })()`)
	mira.click("#approve button")
	mira.until("it says so, once", `document.querySelector("#approve .form-problem")?.textContent === "The call is not the one that was shown. Open the approval again."`)
	mira.see("#approval-state", "waits for you")
	eval[bool](mira, `(document.querySelector("#approve [name=digest]").value = %s, true)`, shown)
	mira.click("#approve button")
	mira.see("#decided", "You approved this at")
	mira.unseen("#decide", "Deny with a reason")
	jonas.see("#decided", "Mira approved this at")
	if after := eval[[]float64](jonas, places); !slices.Equal(before, after) {
		t.Errorf("moved from %v to %v", before, after)
	}
	if got := w.ended(asked.Task.ID); !strings.Contains(got.Result, "4.3 million") {
		t.Errorf("%s: %q", got.State, got.Result)
	}

	// A reason is read by the agent.
	asked = w.contact("delegate", "WriterBot", "ask And the profit?")
	jonas.open(jonas.pending())
	jonas.click("#fold-deny summary")
	jonas.write("#why", "Not before")
	jonas.press("\r") // no key decides
	jonas.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	jonas.write("#why", "Monday.")
	jonas.until("what was written, in two lines", `document.querySelector("#why").value === "Not before\nMonday."`)
	eval[bool](jonas, `(document.querySelector("#why").value = "Not before Monday.", true)`)
	jonas.click("#fold-deny button")
	jonas.see("#decided", "You denied this at")
	jonas.see("#decided", "Not before Monday.")
	if got := w.ended(asked.Task.ID); !strings.Contains(got.Result, "Not before Monday.") {
		t.Errorf("%s: %q", got.State, got.Result)
	}

	// Two decide at the same moment: one of them does, and both see who.
	asked = w.contact("delegate", "WriterBot", "ask And the losses?")
	at := mira.pending()
	mira.open(at)
	jonas.open(at)
	mira.ready()
	jonas.ready()
	eval[bool](mira, `(document.querySelector("#approve button").click(), true)`)
	eval[bool](jonas, `(document.querySelector("#deny button").click(), true)`)
	mira.see("#decided", "this at")
	jonas.see("#decided", "this at")
	by := map[bool]string{true: "You", false: "Jonas"}[strings.HasPrefix(strings.TrimSpace(mira.text("#decided b")), "You approved")]
	if hers, his := mira.text("#decided b"), jonas.text("#decided b"); (by == "You") != strings.HasPrefix(his, "Mira approved") || (by == "Jonas") != strings.HasPrefix(his, "You denied") {
		t.Errorf("one sees %q, the other %q", hers, his)
	}
	w.ended(asked.Task.ID)

	// The rule is shown before it is written, and the next call needs no approval.
	asked = w.contact("delegate", "WriterBot", "ask And the costs?")
	mira.open(mira.pending())
	mira.click("#fold-always summary")
	mira.see("#fold-always .grant", "allow:DataBot")
	mira.see("#fold-always .add", "- allow: DataBot")
	if text := w.file("agents/WriterBot.md"); !strings.Contains(text, "requires_approval: true") {
		t.Error(text)
	}
	mira.click("#fold-always button")
	mira.see("#decided", "You approved this at")
	if text := w.file("agents/WriterBot.md"); strings.Contains(text, "requires_approval") || !strings.Contains(text, "- allow: DataBot") {
		t.Error(text)
	}
	w.ended(asked.Task.ID)
	if got := w.ended(w.contact("delegate", "WriterBot", "ask And the rest?").Task.ID); got.State != "completed" {
		t.Errorf("%s: %q", got.State, got.Result)
	}
	mira.open("/approvals?all")
	mira.until("four decided", `document.querySelectorAll("#approval-list .row").length === 4`)
	mira.see("#approval-list", "denied by Jonas")
}

// places are where the parts of an approval stand.
const places = `["#pl-h", ".payload, .kv", "#rl-h", "#decide"].map(s => document.querySelector(s).getBoundingClientRect().top)`

func TestAHostilePayloadIsShownAsItIs(t *testing.T) {
	w := newWorld(t, asking)
	page := w.signIn()
	hostile := "harmless\u202etxt.exe\u202c \u200b<script>window.ran = 1</script><img src=x onerror=\"window.ran = 1\">\n" +
		strings.Repeat("long", 20000) + "\n</pre></code><style>* { display: none }</style>\n\u0065\u0301\u0301\u0301\u0301 end"
	w.contact("delegate", "WriterBot", "ask "+hostile)
	page.do(chromedp.EmulateViewport(390, 844))
	page.open(page.pending())
	page.see(".payload .esc", `\u202e`)
	page.see(".payload .esc", `\u200b`)
	page.see(".payload .esc", `\u0301`)
	page.see(".payload", "<script>window.ran = 1</script><img src=x onerror=\"window.ran = 1\">")
	page.see(".payload", "</pre></code><style>* { display: none }</style>")
	page.until("all of it", `document.querySelector(".payload").textContent.split("long").length === 20001`)
	page.until("nothing ran", `window.ran === undefined && !/[\u202a-\u202e\u200b]/.test(document.querySelector(".appr section").innerText)`)
	page.until("nothing is wider than the phone", `document.documentElement.scrollWidth <= innerWidth`)
	page.until("one decides below what was read", `document.querySelector("#approve").getBoundingClientRect().top > document.querySelector(".payload").getBoundingClientRect().bottom`)
	page.until("buttons for fingers", `document.querySelector("#approve button").getBoundingClientRect().height >= 44`)

	// With the keyboard alone.
	for range 200 {
		if eval[bool](page, `document.activeElement.matches("#approve button")`) {
			break
		}
		page.press("\t")
	}
	page.press("\r")
	page.see("#decided", "You approved this at")
}

func TestQuestionsAreAnsweredByChoosingOrInWords(t *testing.T) {
	w := newWorld(t, asking)
	page := w.signIn()
	asked := w.contact("delegate", "WriterBot", "choose")
	page.see(".need", "WriterBot asks: Which colour?")
	page.unseen(".need-what", "deep red")
	page.click(".need .choice:nth-of-type(2) input")
	page.click(".need form.choose button")
	if got := w.ended(asked.Task.ID); got.Result != "You said: Response from Mira: deep red" {
		t.Errorf("%s: %q", got.State, got.Result)
	}
	page.unseen(".need", "Which colour?")
	asked = w.contact("delegate", "WriterBot", "choose again")
	page.see(".need", "WriterBot asks: Which colour?")
	page.click(".need-ask .meta a[href^='/asks/']")
	page.see("h1", "WriterBot asks you")
	page.see(".put", "Which colour?")
	page.see(".msg", "deep red") // what was said before
	page.see(".options", "blue")
	page.write("#own", "Neither.")
	page.press("\r") // is a new line, where one does not write messages
	page.until("a new line", `document.getElementById("own").value === "Neither.\n"`)
	eval[bool](page, `(window.sent = new URLSearchParams(new FormData(document.getElementById("own").form)), window.to = document.getElementById("own").form.action, true)`)
	page.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	page.see("#answer", "You answered at")
	if status := evalPlain[int](page, `fetch(to, {method: "POST", body: sent, headers: {"Parley-Fetch": "1"}}).then((r) => r.status)`); status != 200 {
		t.Errorf("one's own answer, sent again: %d", status)
	}
	page.see("#answer", "Neither.")
	if got := w.ended(asked.Task.ID); got.Result != "You said: Response from Mira: Neither." {
		t.Errorf("%s: %q", got.State, got.Result)
	}
}
