package browser

import (
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"parley/api"
)

// childOf is the newest subtask of a task that an agent does.
func (w *world) childOf(task, agent string) (id string) {
	w.Helper()
	tree, err := w.Tree(w.Context(), task)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range tree.Children {
		if c.Agent == agent {
			id = c.ID
		}
	}
	if id == "" {
		w.Fatalf("%s has no subtask of %s", task, agent)
	}
	return id
}

// answer replies to what an agent asks the hub's person.
func (w *world) answer(agent, text string) {
	w.Helper()
	list, err := w.Inbox(w.Context(), 50)
	if err != nil {
		w.Fatal(err)
	}
	for _, m := range list.Items {
		if m.Author == agent && m.Asks {
			if _, err := w.ReplyTo(w.Context(), m.ID, text); err != nil {
				w.Fatal(err)
			}
			return
		}
	}
	w.Fatalf("%s asks nothing", agent)
}

// tabOf opens a tab in which another person has signed in with a token.
func (w *world) tabOf(person string) *tab {
	w.Helper()
	made, err := w.CreateToken(w.Context(), api.TokenRequest{For: person})
	if err != nil {
		w.Fatal(err)
	}
	t := w.newTab()
	t.open("/")
	t.write("#tok", made.Secret+"\n")
	t.see("#needs-h", "")
	return t
}

// write writes a file of the team's folder.
func (w *world) write(path, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, path), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, path))
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// focus puts the focus on an element, as the tab key would.
func (t *tab) focus(selector string) {
	t.Helper()
	t.until(selector, `(document.querySelector(%s)?.focus(), document.activeElement === document.querySelector(%s))`, selector, selector)
}

// readAgain takes a part over as the hub would send it, where an element in it has an
// attribute that the script took away, and lets the browser draw that.
func (t *tab) readAgain(part, element, attribute string) {
	t.Helper()
	eval[bool](t, `(async () => {
		const { update } = await import(document.querySelector("script[type=module]").src.replace("app.js", "morph.js"));
		const now = document.getElementById(%s), want = now.cloneNode(true);
		want.querySelector(%s).setAttribute(%s, "");
		update(now, want);
		await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
		return true;
	})()`, part, element, attribute)
}

// narrow makes the tab as wide as a phone.
func (t *tab) narrow() { t.do(chromedp.EmulateViewport(390, 844)) }

// fits checks that nothing is wider than the tab.
func (t *tab) fits() {
	t.Helper()
	if wide := eval[int](t, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		t.Errorf("%s is %d px wider than the window", t.where(), wide)
	}
}
