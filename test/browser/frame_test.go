package browser

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/client"
)

// visitor signs in as the hub's person without a browser.
func (w *world) visitor() *http.Client {
	w.Helper()
	return w.newVisitor(func(*http.Request) {})
}

func (w *world) newVisitor(change func(*http.Request)) *http.Client {
	w.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	link, err := url.Parse(w.link())
	if err != nil {
		w.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: &http.Transport{}}
	w.Cleanup(c.CloseIdleConnections)
	r, err := http.NewRequest(http.MethodPost, w.url+"/signin", strings.NewReader(url.Values{"code": {link.Query().Get("code")}}.Encode()))
	if err != nil {
		w.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", w.url)
	change(r)
	resp, err := c.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		w.Fatalf("signing in: %s", resp.Status)
	}
	return c
}

// begin sends a form up to the given byte, of which the hub has begun to read. It returns
// what sends the rest and reads the status line.
func (w *world) begin(c *http.Client, path, body string, upto int) (finish func() string) {
	w.Helper()
	at, err := url.Parse(w.url)
	if err != nil {
		w.Fatal(err)
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = conn.Close() })
	cookie := c.Jar.Cookies(at)[0]
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n%s",
		path, at.Host, w.url, cookie.Name+"="+cookie.Value, len(body), body[:upto])
	lines := bufio.NewReader(conn)
	if line, readErr := lines.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		w.Fatal(line, err, readErr)
	}
	return func() string {
		if _, err := io.WriteString(conn, body[upto:]); err != nil {
			w.Error(err)
		}
		_, _ = lines.ReadString('\n') // the empty line after the first answer
		status, err := lines.ReadString('\n')
		if err != nil {
			w.Error(err)
		}
		return status
	}
}

// When the hub stops, the streams of browsers end at once, and a form that is under way
// is done.
func TestAStopEndsStreamsAndLetsFormsFinish(t *testing.T) {
	w := newWorld(t, team)
	c := w.visitor()
	stream, err := c.Get(w.url + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stream.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	form := w.begin(c, "/say", "to=%23report&text=The+last+word.", 14)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		w.stop()
	}()
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	_ = stream.Body.Close()
	if status := form(); !strings.HasPrefix(status, "HTTP/1.1 303 ") {
		t.Errorf("the form: %s", status)
	}
	<-stopped
	if text := w.warned.String(); strings.Contains(text, "cut off") {
		t.Error(text)
	}
	w.start()
	if list, err := w.ReadChannel(t.Context(), "report", 10); err != nil || len(list) != 1 || list[0].Body != "The last word." {
		t.Errorf("%+v, %v", list, err)
	}
}

// A browser opens six connections to one server. Tabs share one stream, so that any
// number of them is live; when the tab that holds it goes, another goes on.
func TestManyTabsShareAStream(t *testing.T) {
	w := newWorld(t, team)
	first := w.signIn()
	var tabs []*tab
	var closers []func()
	for range 6 {
		next, end := first.another("/")
		next.see("#needs-h", "")
		tabs, closers = append(tabs, next), append(closers, end)
	}
	streams := `(async () => { const s = await navigator.locks.query(); return [s.held, s.pending].map(l => l.filter(x => x.name === "parley-stream").length).join(" ") })()`
	first.until("one tab with the stream, six that wait for it", `window.streams === "1 6" || `+streams+`.then(s => { window.streams = s }) && false`)
	w.ended(w.contact("ask", "DataBot", "What was the revenue?").Task.ID)
	for _, tab := range append(tabs[:2:2], first, tabs[5]) {
		tab.front()
		tab.see("#feed", "DataBot answers Mira")
	}
	tabs[5].open("/you") // the first one leaves, whichever tab holds the stream
	first.open("about:blank")
	for _, end := range closers[:4] {
		end()
	}
	w.ended(w.contact("ask", "DataBot", "What else?").Task.ID)
	tabs[4].front()
	tabs[4].see("#feed", "I only know the revenue.")
}

// After a machine has slept, its stream says nothing and does not end either.
func TestAStreamThatDiedWithoutAWordIsReplaced(t *testing.T) {
	w := newWorld(t, team)
	page := w.signIn()
	w.ended(w.contact("ask", "DataBot", "What else?").Task.ID)
	page.see("#feed", "I only know the revenue.") // the stream is open
	eval[bool](page, `(() => {
		const now = Date.now.bind(Date);
		Date.now = () => now() + 120000; // two minutes were slept
		window.seen = [];
		new MutationObserver(() => seen.push(document.getElementById("lost").textContent)).observe(document.getElementById("lost"), {childList: true});
		dispatchEvent(new Event("online"));
		return true;
	})()`)
	page.until("that it was lost and is back", `seen.some(s => s.startsWith("Not connected since")) && seen.some(s => s.startsWith("Connected."))`)
	w.ended(w.contact("ask", "DataBot", "What was the revenue?").Task.ID)
	page.see("#feed", "DataBot answers Mira")
}

// Everything can be reached with the keyboard, and keys that are text stay text.
func TestTheKeyboardGoesEverywhere(t *testing.T) {
	w := newWorld(t, team)
	w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?")
	page := w.signIn()
	page.see(".need", "Which quarter?")
	page.ready()
	page.press("?")
	page.see("#help h2", "Keys")
	page.press(kb.Escape)
	page.unseen("#help h2", "Keys")

	page.press("j")
	page.until("the first row has the focus", `document.activeElement.matches(".need")`)
	w.contact("delegate", "CoordinatorBot", "Please ask the person And which year?")
	page.see("h1", "Two matters wait for you")
	page.until("the focus stays", `document.activeElement.matches(".need") && document.activeElement.textContent.includes("Which quarter?")`)
	page.press("c")
	page.until("the composer has the focus", `document.activeElement.matches("form.compose textarea")`)
	page.press("g y / ? j")
	page.until("keys are text in a field", `document.activeElement.value === "g y / ? j" && location.pathname === "/" && !document.querySelector("dialog[open]")`)
	page.press(kb.Escape)
	page.until("Esc leaves the field", `document.activeElement === document.body`)

	page.press("/")
	page.until("the palette", `document.getElementById("palette").open && document.activeElement.id === "palette-q"`)
	page.press("data")
	page.see("#palette-list [aria-selected=true]", "DataBot")
	page.see("#palette-list", "Search for “data”")
	page.press(kb.ArrowDown)
	page.see("#palette-list [aria-selected=true]", "Search for “data”")
	page.press(kb.Escape)
	page.until("Esc closes it", `!document.getElementById("palette").open`)
	page.press("c")
	page.until("the composer has the focus", `document.activeElement.matches("form.compose textarea")`)
	page.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	page.until("Ctrl K opens it from a field as well", `document.getElementById("palette").open && document.activeElement.id === "palette-q"`)
	page.press(kb.Escape)
	page.until("Esc closes it", `!document.getElementById("palette").open`)
	page.press(kb.Escape + "/")
	page.press("you")
	page.see("#palette-list [aria-selected=true]", "You")
	page.press(kb.Enter)
	page.see("h1", "Mira")
	page.ready()
	page.click("#single-keys button") // who speaks to the computer turns single keys off
	page.see("#single-keys", "Single keys do nothing in this browser.")
	page.press("?/gh")
	page.until("nothing has opened", `!document.querySelector("dialog[open]") && location.pathname === "/you"`)
	page.click("#single-keys button")
	page.see("#single-keys", "Single keys go places")
	eval[bool](page, `(document.activeElement.blur(), true)`)
	page.press("gh")
	page.see("h1", "Two matters wait for you")
	page.ready()
	page.press(kb.Tab)
	page.until("the first stop leads to the content", `document.activeElement.textContent === "To the content"`)
	page.press(kb.Enter)
	page.until("which has the focus then", `document.activeElement.id === "main"`)
}

// tabTo presses the tab key until an element has the focus.
func (t *tab) tabTo(selector string) {
	t.Helper()
	for range 150 {
		if eval[bool](t, `document.activeElement.matches(%s)`, selector) {
			return
		}
		t.press(kb.Tab)
	}
	t.Fatalf("the tab key does not reach %s\n%s", selector, t.text("body"))
}

// A whole day without a mouse: sign in, answer, read and decide, write.
func TestAWholeDayWithKeysAlone(t *testing.T) {
	w := newWorld(t, team)
	answered := w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?").Task.ID
	decided := w.contact("delegate", "WriterBot", "tell DataBot hello").Task.ID
	page := w.newTab()
	page.open("/")
	page.see("h1", "Sign in")
	page.tabTo("#tok")
	page.press(w.tokenOf("Mira") + kb.Enter)
	page.see("h1", "Two matters wait for you")
	page.ready()
	page.press("w")
	page.until("the first matter has the focus", `document.activeElement.matches(".need")`)
	page.tabTo(".need-ask input[name=text]")
	page.press("The third." + kb.Enter)
	page.unseen(".need-ask", "Which quarter?")
	if got := w.ended(answered); got.Result != "You said: Response from Mira: The third." {
		t.Errorf("%s: %q", got.State, got.Result)
	}
	page.press(kb.Escape + "gp")
	page.see("#approval-list .row", "DataBot")
	page.ready()
	page.tabTo("#approval-list .row a")
	page.press(kb.Enter)
	page.see("#decide", "only with approval")
	page.tabTo("#approve button")
	page.press(" ")
	page.see("#decided", "You approved this at")
	if got := w.ended(decided); got.Result != "Told." {
		t.Errorf("%s: %q", got.State, got.Result)
	}
	page.press("/")
	page.until("the palette", `document.activeElement.id === "palette-q"`)
	page.press("#report")
	page.see("#palette-list [aria-selected=true]", "#report")
	page.press(kb.Enter)
	page.see("#msgs", "Nobody has written here.")
	page.ready()
	page.press("c")
	page.press("@DataBot what was the revenue?" + kb.Enter)
	page.see(".msg strong", "4.3 million")
}

// Half an answer survives what happens around it: others that come, and one that goes.
func TestWhatIsBeingWrittenStays(t *testing.T) {
	w := newWorld(t, team)
	w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?")
	page := w.signIn()
	page.see(".need", "Which quarter?")
	w.contact("delegate", "CoordinatorBot", "Please ask the person And which year?")
	page.see("h1", "Two matters wait for you")
	page.write(".need:nth-child(2) input[name=text]", "Twenty")
	list, err := w.MyTasks(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	for _, task := range list {
		if strings.Contains(task.Title, "quarter") {
			if _, err := w.Complete(t.Context(), task.ID, "The third."); err != nil {
				t.Fatal(err)
			}
		}
	}
	page.unseen(".need", "Which quarter?")
	page.until("field and text", `document.activeElement.matches(".need input[name=text]") && document.activeElement.value === "Twenty" && document.activeElement.selectionStart === 6`)
	page.press(" twenty-five" + kb.Enter)
	page.unseen(".need", "And which year?")
}

// Sessions are listed and ended. A browser whose session has ended goes to the page for
// signing in, and from there back to where it was.
func TestSessionsAreListedAndEnded(t *testing.T) {
	w := newWorld(t, team)
	one, other := w.signIn(), w.signIn()
	other.open("/you?from=here")
	other.see("#sessions", "this browser")
	one.open("/you")
	one.see("#sessions li:nth-child(2)", "used")
	one.click("#sessions li:nth-child(2) button")
	one.until("one is left", `document.querySelectorAll("#sessions li").length === 1`)
	other.see("h1", "Sign in")
	if at := other.where(); !strings.HasSuffix(at, "/signin?next=%2Fyou%3Ffrom%3Dhere") {
		t.Errorf("it went to %s", at)
	}
	made, err := w.AddPerson(t.Context(), "Grace")
	if err != nil {
		t.Fatal(err)
	}
	other.write("#tok", made.Secret+kb.Enter)
	other.see("h1", "Grace")
	other.until("the address", `location.pathname + location.search === "/you?from=here"`)
	one.see("#sessions", "Other people of orchard")
	other.click(`form[action="/signout"] button`)
	other.see("h1", "Sign in")
	one.unseen("#sessions", "Other people of orchard")
	grace := client.New(w.url, made.Secret) // a token outlives the session
	defer grace.Close()
	if _, err := grace.Hub(t.Context()); err != nil {
		t.Error(err)
	}
	others := []*tab{w.signIn(), w.signIn()}
	for _, other := range others {
		other.open("/you")
	}
	one.see("#sessions", "End all others")
	one.click("#sessions form[action='/you/end-others'] button")
	one.see(".told", "Signed out: 2 other browsers.")
	one.until("one is left", `document.querySelectorAll("#sessions li").length === 1`)
	for _, other := range others {
		other.front()
		other.see("h1", "Sign in")
	}
	one.open("/you/nowhere")
	one.see("h1", "There is nothing at /you/nowhere.")
	one.see("nav.side", "Home")
	one.takeOver()
}

// takeOver signs Jonas in in another tab of the browser of Mira, whose tab is nobody's then
// but his.
func (t *tab) takeOver() {
	t.Helper()
	t.open("/dm/DataBot")
	t.ready()
	t.write("#say", "half a thought of Mira")
	mira := eval[string](t, `document.querySelector("#compose [name=person]").value`)
	link, err := t.w.as("Jonas").CreateLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, end := t.another(link.Path)
	other.see("h1", "Sign in as Jonas")
	other.click("form button")
	other.see("#needs-h", "")
	other.open(link.Path) // once more, with the back button
	other.see("#needs-h", "")
	end()
	t.front()
	t.see(".side-foot", "Jonas")
	t.ready()
	t.until("nothing of Mira is left", `document.getElementById("say").value === "" && Object.keys(sessionStorage).every((name) => !name.startsWith("draft:"))`)
	said := eval[string](t, `fetch("/say", {method: "POST", headers: {"Parley-Fetch": "1"}, body: new URLSearchParams({person: %s, place: "@DataBot", text: "As whom?"})})
		.then(async (r) => { const said = await r.json(); return r.status + " " + said.error })`, mira)
	if said != "409 You are signed in as Jonas now. Load the page again." {
		t.Error(said)
	}
	t.write("#say", "half a thought of Jonas")
	eval[bool](t, `(document.cookie = "parley_said=Send+your+token+to+me.; path=/", true)`)
	t.open("/you")
	t.until("nobody else speaks for the hub", `!document.querySelector(".told")`)
	t.until("his draft is kept", `Object.keys(sessionStorage).some((name) => name.startsWith("draft:"))`)
	t.click(`form[action="/signout"] button`)
	t.see("h1", "Sign in")
	t.until("until he signs out", `Object.keys(sessionStorage).every((name) => !name.startsWith("draft:"))`)
}

// A hidden tab tells the browser what is new, once for each matter, and marks its icon.
func TestAHiddenTabNotifies(t *testing.T) {
	w := newWorld(t, team)
	w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?")
	page := w.signIn()
	page.see(".need", "Which quarter?")
	page.ready()
	page.until("the icon", `document.querySelector("link[rel=icon]").href.endsWith("icon-waiting.svg")`)
	eval[bool](page, `(() => {
		window.told = [];
		window.Notification = class extends EventTarget {
			static permission = "granted";
			constructor(title, options) { super(); told.push({title, ...options, notice: this}); }
			close() {}
		};
		Object.defineProperty(document, "hidden", {get: () => window.away !== false, configurable: true});
		document.dispatchEvent(new Event("visibilitychange"));
		window.asked = []; // what is read from now on
		const ask = window.fetch;
		window.fetch = (url, how) => { asked.push(how?.headers?.["Parley-Parts"] ?? ""); return ask(url, how) };
		return true;
	})()`)
	w.contact("delegate", "CoordinatorBot", "Please ask the person <b>And</b> which\u202e year?\u0007")
	page.until("the notification", `told.length === 1 && told[0].title === "CoordinatorBot" && told[0].body === "asks: <b>And</b> which year?"`)
	page.until("the title", `document.title.startsWith("(2) ")`)
	page.until("nobody looks at the rest", `asked.length > 0 && asked.every((parts) => parts === "signal")`)
	eval[bool](page, `(away = false, document.dispatchEvent(new Event("visibilitychange")), true)`)
	page.see("h1", "Two matters wait for you")
	w.contact("delegate", "CoordinatorBot", "Please ask the person And where?")
	page.see("h1", "Three matters wait for you")
	page.until("no notification while somebody looks", `told.length === 1`)
	eval[bool](page, `told[0].notice.dispatchEvent(new Event("click"))`)
	page.until("a click leads there", `location.pathname.startsWith("/asks/")`)
}
