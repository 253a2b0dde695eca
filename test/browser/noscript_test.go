package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Without JavaScript everything can be read and written; and nothing is wider than a phone.
func TestReadingAndWritingWithoutScript(t *testing.T) {
	w := newWorld(t, team)
	w.fillLong("report", 1, 60)
	page := w.signIn()
	page.do(chromedp.EmulateViewport(390, 844), chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	page.open("/c/report")
	page.see(".msg", "number 60.")
	page.see("#earlier", "Earlier messages")
	page.click("#earlier a")
	page.see(".msg", "number 1.")
	page.open("/c/report")
	page.click("#compose textarea")
	page.write("#say", "@DataBot what was the revenue of "+strings.Repeat("averylongword", 30)+"?")
	page.click("#compose .btn-1")
	page.see(".msg .at", "@DataBot")
	page.until("nothing is wider than the phone", `document.documentElement.scrollWidth <= 390`)
	page.open("/dm/DataBot")
	page.click("#compose textarea")
	page.write("#say", "What was the revenue?")
	page.click("#compose .btn-1")
	page.see(".pact", "Asked DataBot")
	task := eval[string](page, `document.querySelector(".pact .id").textContent`)
	w.ended(task)
	page.open("/dm/DataBot")
	page.see(".msg strong", "4.3 million")
	page.see(".end button", "Mark as read")
	page.click(".end button")
	page.unseen(".end button", "Mark as read")
	page.open("/talk")
	page.unseen("#dm-DataBot .unread", "DataBot")
	page.until("nothing is wider than the phone", `document.documentElement.scrollWidth <= 390`)
	page.decideWithoutScript()
}

// decideWithoutScript answers, approves, denies and cancels by forms alone.
func (t *tab) decideWithoutScript() {
	t.Helper()
	w := t.w
	asked := w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?").Task.ID
	t.again("/", ".need", "Which quarter?")
	t.write(".need-ask input[name=text]", "The third.")
	t.click(".need-ask form .btn-1")
	t.unseen(".need-ask", "Which quarter?")
	if got := w.ended(asked); got.Result != "You said: Response from Mira: The third." {
		t.Errorf("%s: %q", got.State, got.Result)
	}
	for _, decide := range []struct{ button, says, comes string }{{"#approve button", "You approved this at", "Told."}, {"#deny button", "You denied this at", "Told."}} {
		asked = w.contact("delegate", "WriterBot", "tell DataBot hello").Task.ID
		t.again("/approvals", "#approval-list .row", "DataBot")
		t.click("#approval-list .row a")
		t.see("#decide", "only with approval")
		t.click(decide.button)
		t.see("#decided", decide.says)
		if got := w.ended(asked); got.Result != decide.comes {
			t.Errorf("%s: %q", got.State, got.Result)
		}
	}
	asked = w.contact("delegate", "CoordinatorBot", "Please ask the person And which year?").Task.ID
	t.again("/tasks/"+asked, "#task-head .now", "waits for Mira")
	t.click("#act-cancel-tree summary")
	t.click("#act-cancel-tree button")
	t.see(".told", asked+" is cancelled")
	t.see("#task-head", "cancelled")
}

// again opens an address until it shows a text, as somebody without script would.
func (t *tab) again(path, selector, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		t.open(path)
		if eval[bool](t, `[...document.querySelectorAll(%s)].some(e => e.textContent.includes(%s))`, selector, text) {
			return
		}
	}
	t.Fatalf("never %q in %s\n%s", text, selector, t.text("body"))
}
