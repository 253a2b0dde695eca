package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/client"
)

func TestRulesAreExplainedTriedAndWritten(t *testing.T) {
	w := newWorld(t, asking)
	page := w.signIn()
	for _, text := range []string{"ask DataBot What was it?", "ask DataBot And then?", "hello"} {
		w.ended(w.contact("delegate", "CoordinatorBot", text).Task.ID)
	}
	was := w.file("agents/CoordinatorBot.md")

	page.open("/agents/CoordinatorBot/rules")
	page.see(".agent-h h1", "CoordinatorBot")
	page.write(".may [name=to]", "DataBot")
	page.click(".may button")
	page.see(".verdict", "Yes.")
	page.see(".path .rule", "can_invoke")
	page.until("one rule decides", `document.querySelectorAll(".path .decides").length === 1`)

	page.write("#words", "deny:DataBot")
	page.click(".what-if button")
	page.see("#trial-out", "Of the last 5 contacts, 2 would have been decided differently")
	page.see("#trial-out", "2 refused")
	page.until("exactly those", `[...document.querySelectorAll(".changes .row p:first-child")].map(e => e.textContent).join() === "CoordinatorBot ask DataBot,CoordinatorBot ask DataBot"`)
	page.until("each is a link", `document.querySelectorAll(".changes a[href^='/messages/msg-']").length === 2`)
	page.see("#trial-out .add", "- deny: DataBot")
	if now := w.file("agents/CoordinatorBot.md"); now != was {
		t.Errorf("written by trying: %s", now)
	}
	if got := w.ended(w.contact("delegate", "CoordinatorBot", "ask DataBot Still?").Task.ID); !strings.Contains(got.Result, "4.3 million") {
		t.Errorf("%s: %q", got.State, got.Result)
	}

	page.click("#trial-out form button")
	page.see(".cols", "deny:DataBot")
	if now := w.file("agents/CoordinatorBot.md"); !strings.Contains(now, "- deny: DataBot") || !strings.Contains(now, "You coordinate.") {
		t.Error(now)
	}
	page.open("/agents/CoordinatorBot/rules?action=ask&to=DataBot")
	page.see(".verdict", "No.")
	page.open("/agents/CoordinatorBot/rules?verb=add&key=contacts&words=allow:WriterBot%0Anonsense")
	page.see(".fail", "nonsense")
	page.unseen("#trial-out", "On trial")
}

func TestAgentsAreFoundReadAndLookedAfter(t *testing.T) {
	w := newWorld(t, asking)
	page := w.signIn()
	w.ended(w.contact("delegate", "CoordinatorBot", "hello").Task.ID)
	page.open("/agents")
	page.see("#agent-count", "3 agents, 0 at work, 3 idle")
	page.write("#f", "coord\r")
	page.see("#agent-count", "1 agent of 3")
	page.click("#ag-CoordinatorBot a")
	page.see(".agent .lead", "Coordinates what the others do.")
	page.see("#agent-card", "hello")

	page.click("#drop-sleep summary")
	page.click("#drop-sleep button")
	page.see(".agent-h .state", "until")
	page.see("#agent-card", "Sleeps until")
	page.click("#do-wake button")
	page.unseen("#agent-card", "Sleeps until")
	page.click("#do-offline button")
	page.see("#do-online", "Bring online")
	page.see(".agent-h .state", "offline")
	page.click("#do-online button")
	page.see("#do-offline", "Take offline")

	page.click("#drop-fresh summary")
	page.click("#drop-fresh button")
	page.see(".told", "What is said from now on begins without what was said before.")
	page.see("#rail", "thread-1 2 messages")
	if threads, err := w.Threads(t.Context(), "Mira", "CoordinatorBot"); err != nil || len(threads) != 2 {
		t.Errorf("%+v: %v", threads, err)
	}
	page.open("/agents/CoordinatorBot/instructions")
	page.see("#instructions", "You coordinate.")
	page.open("/agents/CoordinatorBot/tools")
	page.see("#tool-contact_agent summary", "contact_agent")
	page.open("/agents/CoordinatorBot/docs")
	page.see(".agent", "offers no docs")
	page.open("/agents/CoordinatorBot/cost")
	page.see("#agent-cost", "In all")
	page.open("/agents/CoordinatorBot/history")
	page.see("#agent-history", "hello")
	page.open("/agents/CoordinatorBot/nonsense")
	page.see("h1", "There is no such page")
	page.open("/agents/Jonas")
	page.see(".agent-h h1", "Jonas")
}

func TestAClientAgentIsAddedWithATokenShownOnce(t *testing.T) {
	w := newWorld(t, asking)
	page := w.signIn()
	page.do(chromedp.EmulateViewport(390, 844))
	page.open("/join")
	page.write("#name", "helper")
	page.write("#description", "Helps with the rest.")
	page.click(".ask-form button")
	page.see("h1", "helper may join")
	page.see(".stepsN", ".mcp.json")
	page.see(".stepsN", "parley join helper --client claude --write")
	secret := strings.TrimSpace(page.text("#secret code"))
	page.until("nothing is wider than the phone", `document.documentElement.scrollWidth <= innerWidth`)
	if strings.Contains(page.where(), secret) || !strings.HasPrefix(secret, "parley_") {
		t.Errorf("%q at %s", secret, page.where())
	}
	helper := client.New(w.url, secret)
	defer helper.Close()
	if hub, err := helper.Hub(t.Context()); err != nil || hub.You != "helper" {
		t.Errorf("%+v %v", hub, err)
	}
	page.open("/agents/helper")
	page.see(".agent .lead", "Helps with the rest.")
	page.until("the token is gone", `!document.documentElement.outerHTML.includes(%s)`, secret)
	if text := w.file("agents/helper.md"); !strings.Contains(text, "kind: client") || strings.Contains(text, secret) {
		t.Error(text)
	}
}
