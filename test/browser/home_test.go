package browser

import "testing"

func TestHomeShowsWhatHappensAndWhatWaits(t *testing.T) {
	w := newWorld(t, team)
	page := w.signIn()
	page.see("h1", "Nothing waits for you.")
	page.see("#work", "Nobody works on anything.")

	asked := w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?")
	page.see("h1", "One matter waits for you")
	page.see(".need", "CoordinatorBot asks: Which quarter?")
	page.until("the count in the title", `document.title.startsWith("(1) ")`)
	// One number everywhere is what waits for an answer; mail stands beside it.
	w.ended(w.contact("ask", "WriterBot", "tell Mira The draft is there.").Task.ID)
	page.see("#needs .meta", "and 2 new messages")
	page.until("the same number in heading, title and badge, and a marked icon", `document.querySelector("h1").textContent === "One matter waits for you" && document.title.startsWith("(1) ") &&
		document.querySelector("#side .count:not(.count-q)").textContent === "1 waits for you" && document.querySelector("link[rel=icon]").href.endsWith("icon-waiting.svg")`)
	page.until("times that run on are written as the server does", `window.runs === "now,now,1 s,59 s,1 min 5 s,1 h 5 min,2 d 3 h" || !import(document.querySelector("script[type=module]").src.replace("app.js", "clocks.js"))
		.then((m) => { window.runs = [-1, 0.9, 1, 59.9, 65, 3959, 183600].map(m.running).join().replaceAll("\u00a0", " ") })`)
	page.until("what the hub says in a form is taken over, what somebody writes stays", `window.merged === "2 mine red k1 | other " || !import(document.querySelector("script[type=module]").src.replace("app.js", "morph.js"))
		.then((m) => {
			const make = (html) => new DOMParser().parseFromString(html, "text/html").body;
			const form = (action, id, text, colour, key) => "<form action=/" + action + "><input type=hidden name=message value=" + id + "><input name=text value=" + text + "><input type=radio name=option value=" + colour + "><input type=hidden name=key value=" + key + "></form>";
			const now = make(form("a", 1, "mine", "blue", "k1"));
			m.morph(now, make(form("a", 2, "theirs", "red", "k2")));
			const first = [...now.querySelectorAll("input")].map((e) => e.value).join(" ");
			now.querySelector("[name=text]").value = "for this one";
			m.morph(now, make("<form action=/b><input name=text placeholder=other></form>"));
			window.merged = first + " | " + now.querySelector("input").placeholder + " " + now.querySelector("input").value;
		})`)
	page.see("#work", "Please ask the person")
	page.see("#agents", "CoordinatorBot")

	page.write(".need input[name=text]", "The third.")
	page.click(".need button")
	page.see("h1", "There is news for you")
	page.see(".need", "CoordinatorBot You said: Response from Mira: The third.")
	page.until("what is only to be read is a quiet number, and none in the title", `!document.title.startsWith("(") && document.querySelector("#side .count").textContent === "2 conversations to read" &&
		document.querySelector("#side .count").matches(".count-q") && document.querySelector("link[rel=icon]").href.endsWith("icon.svg")`)
	page.see("#needs .meta", "3 new messages")
	page.click(".need button")
	page.see("#needs .meta", "2 new messages")
	page.click(".need button")
	page.see("h1", "Nothing waits for you.")
	if got := w.ended(asked.Task.ID); got.State != "completed" || got.Result != "You said: Response from Mira: The third." {
		t.Errorf("%s: %q", got.State, got.Result)
	}
	page.see("#feed", "CoordinatorBot answers Mira")
}

func TestHomeGoesOnAfterARestartOfTheHub(t *testing.T) {
	w := newWorld(t, team)
	page := w.signIn()
	page.see("#feed", "")
	w.stop()
	page.see("#lost", "Not connected since")
	w.start()
	w.ended(w.contact("ask", "DataBot", "What was the revenue?").Task.ID)
	page.see("#feed", "DataBot answers Mira")
	page.unseen("#lost", "Not connected")

	// A team that is paused says so.
	if _, err := w.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	page.see("#paused", "The team is paused")
	if _, err := w.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	page.until("it is over", `document.getElementById("paused").textContent === ""`)
}
