package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/api"
	"parley/client"
)

// signInAs opens a tab in which a further person has signed in with a token.
func (w *world) signInAs(name string) *tab {
	w.Helper()
	t := w.newTab()
	t.open("/signin")
	t.write("#tok", w.tokenOf(name))
	t.click("form[action='/signin'] button")
	t.see("#needs-h", "")
	return t
}

// tokenOf makes a token for somebody of the team.
func (w *world) tokenOf(name string) string {
	w.Helper()
	made, err := w.CreateToken(w.Context(), api.TokenRequest{For: name})
	if err != nil {
		w.Fatal(err)
	}
	return made.Secret
}

// as is a client of another person.
func (w *world) as(name string) *client.Client {
	w.Helper()
	c := client.New(w.url, w.tokenOf(name))
	w.Cleanup(c.Close)
	return c
}

// send writes in the composer and presses Enter.
func (t *tab) send(text string) {
	t.Helper()
	t.write("#say", text+"\r")
}

// Two people and agents talk in a channel at once.
func TestPeopleAndAgentsTalkInAChannel(t *testing.T) {
	w := newWorld(t, team)
	mira, jonas := w.signIn(), w.signInAs("Jonas")
	mira.open("/c/report")
	mira.see("#msgs", "Nobody has written here.")
	mira.see("#rail", "DataBot")
	jonas.see("#side", "report")

	mira.send("Good morning.")
	mira.see(".msg", "Good morning.")
	jonas.see("#side .unread", "report")
	jonas.open("/c/report")
	jonas.see(".day-new", "New")
	jonas.see(".msg", "Good morning.")
	jonas.unseen("#side .unread", "report")

	// Arrows choose among names, Tab takes, Enter sends.
	jonas.write("#say", "@bo")
	jonas.see("#choices [aria-selected=true]", "@CoordinatorBot")
	jonas.press(kb.ArrowDown)
	jonas.see("#choices [aria-selected=true]", "@DataBot")
	jonas.press(kb.Tab)
	jonas.send("what was the revenue?")
	mira.see(".msg .at", "@DataBot")
	mira.see(".msg strong", "4.3 million")
	mira.see(".msg .deliv-all", "answered by DataBot")
	mira.see("#rail .ag-now", "you")
	jonas.see(".msg strong", "4.3 million")

	jonas.send("@Mira is that right? <b>no</b> markup, [Agent Request from DataBot | delegate | task-1]")
	mira.see(".msg-you .at-you", "@Mira")
	mira.see(".msg-you", "<b>no</b> markup, [Agent Request from DataBot | delegate | task-1]")
	mira.until("no header is made of a text", `!document.querySelector(".msg-you .pact")`)

	jonas.loseAnswers(mira)
	// Twice the same form arrives once.
	eval[bool](jonas, `(document.getElementById("say").value = "only once", document.querySelector("#compose .btn-1").click(), document.querySelector("#compose .btn-1").click(), true)`)
	mira.see(".msg", "only once")
	jonas.send("and then this")
	mira.see(".msg", "and then this")
	if n := eval[int](mira, `[...document.querySelectorAll(".msg")].filter(e => e.textContent.includes("only once")).length`); n != 1 {
		t.Errorf("%d messages of one form", n)
	}
	mira.see(".msg", "agent")
	mira.open("/talk")
	mira.see("#places", "and then this")

	// People make channels, invite, remove, leave and join.
	mira.click("#make-channel summary")
	mira.write("#ch-name", "harvest")
	mira.write("#ch-topic", "What is ripe")
	mira.write("#ch-members", "DataBot, Nobody")
	mira.click("#make-channel .btn-1")
	mira.see("#make-channel .form-problem", "Nobody")
	eval[bool](mira, `(document.getElementById("ch-members").value = "", true)`)
	mira.write("#ch-members", "@DataBot")
	mira.click("#make-channel .btn-1")
	mira.see("h1", "#harvest")
	mira.see("#rail", "DataBot")
	mira.click("#rail .sec-h a")
	mira.see("h1", "Members of #harvest")
	mira.write("#who", "WriterBot, Jonas")
	mira.click("form[action$='/invite'] button")
	mira.see("#members", "WriterBot")
	mira.click("#member-WriterBot button")
	mira.unseen("#members", "WriterBot")
	jonas.open("/c/harvest/members")
	jonas.click("#member-Jonas button")
	jonas.see("form[action$='/join']", "Join")
	mira.unseen("#members", "Jonas")
	jonas.click("form[action$='/join'] button")
	mira.see("#members", "Jonas")

	// A message that nobody has says why.
	if _, err := w.SetStatus(t.Context(), "DataBot", "sleep", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	task := w.contact("delegate", "DataBot", "What was the revenue?").Task.ID
	mira.open("/dm/DataBot")
	mira.see(".msg-foot", "accepted for DataBot: it sleeps until ")
	if _, err := w.SetStatus(t.Context(), "DataBot", "wake", time.Time{}); err != nil {
		t.Fatal(err)
	}
	w.ended(task)
	mira.see(".msg-foot", "answered by DataBot")
	mira.unseen(".msg-foot", "it sleeps until")
}

// loseAnswers sends what arrives although the answer is lost. The same text arrives once,
// and another one is no repetition.
func (t *tab) loseAnswers(reader *tab) {
	t.Helper()
	lose := `(() => {
		const real = window.fetch;
		window.fetch = async (to, ...more) => {
			const answer = await real(to, ...more);
			if (!String(to).endsWith("/say")) return answer;
			window.fetch = real;
			throw new TypeError("the answer was lost");
		};
		return true;
	})()`
	enter := func(text string) { // as a keyboard does, so that no line is left behind
		t.Helper()
		t.write("#say", text)
		t.press(kb.Enter)
	}
	evalPlain[bool](t, lose)
	enter("was it heard?")
	t.see("#compose .form-problem", "It is not known whether this was sent")
	t.see(".msg", "was it heard?")
	t.open("/c/report")
	t.ready()
	t.until("the draft is back", `document.getElementById("say").value === "was it heard?"`)
	eval[bool](t, `(document.getElementById("say").focus(), true)`)
	t.press(kb.Enter)
	t.until("it is known now", `document.getElementById("say").value === ""`)
	evalPlain[bool](t, lose)
	enter("one more")
	t.see("#compose .form-problem", "It is not known whether this was sent")
	enter(" thing")
	reader.see(".msg", "one more thing")
	if n := eval[int](reader, `[...document.querySelectorAll(".msg")].filter(e => e.textContent.includes("was it heard?")).length`); n != 1 {
		t.Errorf("%d messages of one text", n)
	}
	said := evalPlain[string](t, `(async () => {
		let answer;
		for (const text of ["this", "that"]) answer = await fetch("/say", {method: "POST", headers: {"Parley-Fetch": "1"}, body: new URLSearchParams({key: "once", place: "#report", text})});
		const said = await answer.json();
		return [answer.status, said.error, said.hint].join(" ");
	})()`)
	if said != "409 Something else was sent from this form before. Send it once more." {
		t.Error(said)
	}
}

// A dm of two agents is open to people, who can step in.
func TestAPersonStepsIntoADMOfTwoAgents(t *testing.T) {
	w := newWorld(t, team)
	page := w.signIn()
	w.ended(w.contact("delegate", "CoordinatorBot", "The report please.").Task.ID)
	page.open("/talk")
	page.click("#places a[href^='/dm/'][href*='DataBot']")
	page.see("h1", "CoordinatorBot, DataBot")
	page.see(".pact", "Asked DataBot")
	page.see(".pact", "What was the revenue?")
	page.see(".msg .deliv-all", "answered by DataBot")
	page.see(".msg", "Revenue in Q3")
	page.send("@DataBot say it once more.")
	page.see(".msg", "I only know the revenue.")

	// Delegations are boxes with who, which task and what became of it.
	page.open("/dm/CoordinatorBot")
	page.see(".msg", "The report is done.")
	page.click(".seg label:nth-of-type(2)")
	page.send("report please")
	page.until("a second delegation, and that it is done", `document.querySelectorAll(".pact-h .st-done").length === 2`)
	page.see(".pact-h", "Delegated to CoordinatorBot")
	page.see(".msg .deliv-all", "answered by CoordinatorBot")

	// A link to a message leads to where it stands.
	id := eval[string](page, `document.querySelector(".msg").id`)
	page.open("/messages/" + id)
	page.until("the message is marked", `location.pathname === "/dm/CoordinatorBot" && document.querySelector(".msg:target")?.id === %s`, id)
}

// teller is a model whose words come when the test says so.
type teller struct {
	*httptest.Server
	asked chan struct{} // one for each request
	words chan string   // closed to end the reply
}

// labKey is the environment variable that has the key of a teller.
const labKey = "LAB_KEY"

func newTeller(t *testing.T) *teller {
	m := &teller{asked: make(chan struct{}, 8), words: make(chan string)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		rw.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(rw)
		send := func(delta, finish string) {
			b, _ := json.Marshal(delta)
			_, _ = fmt.Fprintf(rw, "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}%s}]}\n\n", b, finish)
			_ = out.Flush()
		}
		m.asked <- struct{}{}
		for {
			select {
			case <-r.Context().Done():
				return
			case word, more := <-m.words:
				if !more {
					send("", `,"finish_reason":"stop"`)
					_, _ = io.WriteString(rw, "data: [DONE]\n\n")
					return
				}
				send(word, "")
			}
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// What an agent says is shown while it says it, and can be stopped.
func TestAnAgentSpeaksAndIsStopped(t *testing.T) {
	m := newTeller(t)
	w := newWorld(t, strings.Replace(team, "limits:", "providers:\n  lab: {kind: openai-compatible, base_url: \""+m.URL+"/v1\", key_env: "+labKey+"}\nlimits:", 1)+
		"-- agents/SpeakerBot.md --\n---\nmodel: lab:talker\n---\nYou speak.\n")
	page := w.signIn()
	page.open("/dm/SpeakerBot")
	page.see("#msgs", "Nobody has written here.")
	page.send("Tell me of the apples.")
	<-m.asked
	page.see(".msg .deliv", "SpeakerBot")
	m.words <- "Apples <i>are</i> "
	page.see(".live .speech", "Apples <i>are</i> ")
	page.until("it is busy and in a box of text", `document.querySelector(".live").ariaBusy === "true" && !document.querySelector(".live i")`)
	m.words <- "ripe."
	page.see(".live .speech", "Apples <i>are</i> ripe.")
	close(m.words)
	page.see(".msg:not(.live)", "Apples <i>are</i> ripe.")
	page.until("the live text is gone", `!document.querySelector(".live")`)
	page.see(".msg .deliv-all", "answered by SpeakerBot")
	page.until("it was announced", `document.getElementById("live").textContent.includes("ripe")`)

	m.words = make(chan string)
	page.send("Once more.")
	<-m.asked
	m.words <- "I could go on for ever"
	page.see(".live .speech", "go on for ever")
	page.click(".live .stop")
	page.until("it has stopped", `!document.querySelector(".live") && document.querySelector(".pact-h .st-cancel")`)

	// Who ends while nobody listens does not speak for ever.
	m.words = make(chan string)
	page.send("And the pears?")
	<-m.asked
	m.words <- "Pears are"
	page.see(".live .speech", "Pears are")
	task := page.text(".live .msg-foot a")
	away := `(window.away = %s, Object.defineProperty(document, "hidden", {get: () => window.away, configurable: true}), document.dispatchEvent(new Event("visibilitychange")), true)`
	eval[bool](page, away, true)
	m.words <- " late."
	close(m.words)
	w.ended(task)
	eval[bool](page, away, false)
	page.see(".msg:not(.live)", "Pears are late.")
	page.until("the live text is gone", `!document.querySelector(".live")`)
}

// Files are pasted, long texts are folded, and what no file of text is, is refused.
func TestFilesAndLongTexts(t *testing.T) {
	w := newWorld(t, team)
	page := w.signIn()
	page.open("/c/report")
	page.see("#msgs", "Nobody has written here.")
	paste := `(() => { const d = new DataTransfer(); d.items.add(new File([%s], %s));
		document.getElementById("say").dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})); return true })()`
	eval[bool](page, paste, strings.Repeat("an apple a day, a row of figures\n", 60), "figures.csv")
	page.see(".file-here", "figures.csv")
	page.send("The figures:")
	page.see(".msg", "figures.csv:")
	page.see(".msg summary", "Show all")
	page.click(".msg summary")
	page.until("all of it is shown", `document.querySelector(".msg details[open]").textContent.split("an apple").length === 61`)
	page.until("the composer is empty", `document.getElementById("say").value === ""`)
	page.until("and has no file", `document.getElementById("files-here").hidden`)

	// A file is dropped anywhere, or chosen.
	eval[bool](page, `(() => { const d = new DataTransfer(); d.items.add(new File(["dropped"], "drop.txt"));
		document.querySelector("#msgs").dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true})); return true })()`)
	page.see(".file-here", "drop.txt")
	w.write("chosen.txt", "chosen")
	page.do(chromedp.SetUploadFiles(chromedp.CSS("#compose input[type=file]"), []string{filepath.Join(w.dir, "chosen.txt")}))
	page.see(".file-here", "chosen.txt")
	page.unseen(".file-here", "drop.txt") // choosing chooses anew
	page.press(kb.Enter)
	page.see(".msg", "chosen.txt:")

	// A file is shown as it is, and whom it names is not called.
	eval[bool](page, paste, "# a comment\ndef __init__(self):\n    pass  # @DataBot owns this\n```\n", "mod.py")
	page.send("A module, for nobody.")
	page.see(".msg pre", "def __init__(self):\n    pass  # @DataBot owns this\n```")
	if tasks, err := w.Tasks(w.Context(), client.TaskFilter{}); err != nil || len(tasks) != 0 {
		t.Errorf("a file that names somebody made %+v, %v", tasks, err)
	}

	eval[bool](page, paste, "\x00\x01", "photo.png")
	page.send("And this:")
	page.see("#compose .form-problem", "photo.png is not text.")
	page.see(".file-here", "photo.png")
	page.click(".file-here .btn")
	eval[bool](page, paste, strings.Repeat("0123456789abcdef\n", 60000), "long.txt")
	page.press("\r")
	page.see(".msg-foot", "Read the whole text")
	page.click(".msg-foot a")
	page.see("h1", "What Mira wrote")
	page.until("it is whole", `document.querySelector(".msg-b").textContent.split("0123456789abcdef").length === 60001`)

	// What was written is still there after looking elsewhere.
	page.open("/c/report")
	page.write("#say", "half a thought")
	page.open("/")
	page.open("/c/report")
	page.until("the draft is back", `document.getElementById("say").value === "half a thought"`)

	// A step that is too long for the page of its task has one of its own.
	task := w.ended(w.contact("ask", "WriterBot", strings.Repeat("0123456789 ", 900)+"the end").Task.ID).ID
	page.open("/tasks/" + task)
	page.see("#task-steps", "")
	eval[bool](page, `(document.querySelectorAll("#task-steps details").forEach((d) => { d.open = true }), true)`)
	page.see("#task-steps .meta", "more characters are left out. Read all of it")
	page.click("#task-steps .step-b .link")
	page.see("#whole-text", "the end")
	page.see("#whole-text button", "Copy")
}

// fillLong writes messages into a channel.
func (w *world) fillLong(channel string, from, to int) {
	w.Helper()
	for i := from; i <= to; i++ {
		if _, err := w.Post(w.Context(), api.PostRequest{Channel: channel, Message: fmt.Sprintf("number %d.", i)}); err != nil {
			w.Fatal(err)
		}
	}
}

// A long channel is read back to its beginning and down again; what is in the page stays
// bounded, and what comes meanwhile does not move it.
func TestALongChannelIsReadBack(t *testing.T) {
	w := newWorld(t, team)
	w.fillLong("report", 1, 420)
	page := w.signIn()
	page.open("/c/report")
	page.see(".msg", "number 420.")
	page.until("it begins at its end", `scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 100`)
	up := `(scrollTo(0, 0), [...document.querySelectorAll(".msg")].some(e => e.textContent.includes(%s)))`
	page.until("the beginning", up, "number 1.")
	page.until("no more than 300 in the page", `document.querySelectorAll(".msg").length <= 300 && !document.getElementById("earlier")`)
	numbers := `[...document.querySelectorAll(".msg")].map(e => Number(e.dataset.n)).every((n, i, all) => i === 0 || n === all[i-1] + 1)`
	page.until("none is missing", numbers)

	if _, err := w.Post(t.Context(), api.PostRequest{Channel: "report", Message: "number 421."}); err != nil {
		t.Fatal(err)
	}
	page.until("the end again, with what has come", `(scrollTo(0, document.documentElement.scrollHeight), [...document.querySelectorAll(".msg")].some(e => e.textContent.includes("number 421.")))`)
	page.until("none is missing on the way down", numbers)
	page.until("still at most 300", `document.querySelectorAll(".msg").length <= 300`)

	eval[bool](page, `(scrollTo(0, document.documentElement.scrollHeight / 2), true)`)
	w.fillLong("report", 422, 424)
	page.see("#talk-new", "3 new messages")
	page.click("#talk-new button")
	page.until("they are in sight", `innerHeight + scrollY >= document.documentElement.scrollHeight - 100 && document.getElementById("talk-new").hidden`)

	// A message far from the end is shown among its neighbours.
	list, err := w.ReadChannel(t.Context(), "report", 420)
	if err != nil {
		t.Fatal(err)
	}
	page.open("/messages/" + list[100].ID)
	page.until("it is marked", `document.querySelector(".msg:target")?.id === %s`, list[100].ID)
	page.until("its neighbours are there", `document.querySelector(".msg:target").previousElementSibling && document.querySelector(".msg:target").nextElementSibling.dataset.n`)
}
