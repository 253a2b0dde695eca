// Says what waits where one looks even if one does not look: in the title, in the icon,
// and with a notification of the browser, if it is allowed.

let known = new Set(); // of what waits, what was told or seen
const key = "parley-notices";

export function signal(first = false) {
  const e = document.getElementById("signal");
  if (!e) return;
  const n = Number(e.dataset.waiting || 0);
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = n > 0 ? `(${n}) ${title}` : title;
  const icon = document.querySelector("link[rel=icon]");
  const want = n > 0 ? icon.dataset.waiting : icon.dataset.calm;
  if (icon.getAttribute("href") !== want) icon.setAttribute("href", want);
  const matters = [...e.querySelectorAll("a")].filter((a) => !known.has(a.dataset.matter));
  known = new Set([...e.querySelectorAll("a")].map((a) => a.dataset.matter));
  if (!first && matters.length > 0 && document.hidden && allowed()) tell(matters);
}

// allowed reports whether this browser may show notifications and should.
export function allowed() {
  return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(key) !== "off";
}

// tell shows one notification for each matter, unless another tab is looked at. Tabs name
// it alike, so it is shown once.
async function tell(matters) {
  if (await seen()) return;
  for (const a of matters.slice(-5)) {
    try {
      const notice = new Notification(a.dataset.who, { body: a.textContent, tag: "parley-" + a.dataset.matter });
      notice.addEventListener("click", () => {
        window.focus();
        location.assign(a.getAttribute("href"));
        notice.close();
      });
    } catch {
      return; // some phones have notifications only for programs
    }
  }
}

const lock = "parley-seen";

async function seen() {
  if (!navigator.locks) return false;
  const { held } = await navigator.locks.query();
  return held.some((l) => l.name === lock);
}

// notices holds the lock that says that somebody looks, and runs the switch on the page
// about oneself.
export function notices() {
  if (navigator.locks) {
    let release = () => {};
    const look = () => {
      release();
      if (!document.hidden) navigator.locks.request(lock, { mode: "shared" }, () => new Promise((r) => { release = r; }));
    };
    document.addEventListener("visibilitychange", look);
    look();
  }
  const box = document.getElementById("notices");
  if (!box || !("Notification" in window)) return;
  box.hidden = false;
  const [line, button] = [box.querySelector("p"), box.querySelector("button")];
  const show = () => {
    button.hidden = Notification.permission === "denied";
    button.textContent = allowed() ? "Turn notifications off" : "Turn notifications on";
    line.textContent = Notification.permission === "denied" ? "Your browser refuses notifications from this page. Its settings for this site change that."
      : allowed() ? "When nobody looks at the page and something new waits for you, this browser says so."
        : "This browser can say when something new waits for you and nobody looks at the page.";
  };
  button.addEventListener("click", async () => {
    const on = allowed();
    if (!on && Notification.permission !== "granted") await Notification.requestPermission();
    localStorage.setItem(key, on ? "off" : "on");
    show();
  });
  show();
}
