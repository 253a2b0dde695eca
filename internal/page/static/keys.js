// The keyboard. No key decides anything: keys go somewhere, and buttons act.

const views = { h: "/", t: "/tasks", m: "/talk", p: "/approvals", a: "/agents", q: "/questions", k: "/keepers", g: "/graph", c: "/cost", s: "/search", y: "/you" };
// What j and k go through. A view of its own kind marks its rows with data-row.
const rows = "[data-row], .need, .tree > li, .msg, .hits > li, .ag, .feed > li";
let went = 0; // when g was pressed
const off = "parley-keys"; // is "off" in the browser's storage of whom single keys disturb

export function keys() {
  document.addEventListener("keydown", press);
  const help = document.getElementById("help");
  help?.querySelector("button")?.addEventListener("click", () => help.close());
  choose();
}

// single reports whether keys act alone. Who speaks to the computer, or whose hand slips,
// can turn that off; Ctrl K and Esc stay.
export function single() {
  return localStorage.getItem(off) !== "off";
}

// choose runs the switch on the page about oneself.
function choose() {
  const box = document.getElementById("single-keys");
  if (!box) return;
  const [line, button] = [box.querySelector("p"), box.querySelector("button")];
  const show = () => {
    line.textContent = single() ? "Single keys go places, as ? shows." : "Single keys do nothing in this browser. Ctrl K still searches.";
    button.textContent = single() ? "Turn single keys off" : "Turn single keys on";
  };
  button.addEventListener("click", () => {
    localStorage.setItem(off, single() ? "off" : "on");
    show();
  });
  show();
  box.hidden = false;
}

function press(e) {
  if (e.defaultPrevented || e.isComposing) return;
  if (e.key === "Escape") return leave(e);
  if (e.ctrlKey || e.metaKey || e.altKey || writes(e.target) || document.querySelector("dialog[open]") || !single()) return;
  if (Date.now() - went < 1500 && Object.hasOwn(views, e.key)) {
    went = 0;
    e.preventDefault();
    location.assign(views[e.key]);
    return;
  }
  went = 0;
  const act = { g: () => { went = Date.now(); }, "?": () => document.getElementById("help")?.showModal(), j: () => move(1), k: () => move(-1), c: write, w: waits, Enter: () => open(e) }[e.key];
  if (act && act() !== false) e.preventDefault();
}

// writes reports whether keys are text where they are pressed.
export function writes(e) {
  return e instanceof Element && e.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}

function leave(e) {
  if (writes(e.target)) e.target.blur();
}

function visible() {
  return [...document.querySelectorAll("main " + rows.replaceAll(", ", ", main "))].filter((r) => r.checkVisibility());
}

function move(by) {
  const list = visible();
  if (list.length === 0) return false;
  const at = list.findLastIndex((r) => r.contains(document.activeElement));
  const to = at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by));
  focus(list[to]);
}

function focus(row) {
  if (!row.matches("a, button, [tabindex]")) row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function waits() {
  const first = document.querySelector("main .need");
  if (first) focus(first);
  else location.assign("/");
}

function write() {
  const field = document.querySelector("form.compose textarea");
  if (!field) return false;
  field.focus();
}

// open follows the link of the row that has the focus. A link or button that has it does
// by itself what it does.
function open(e) {
  if (!e.target.matches?.(rows)) return false;
  const link = e.target.querySelector(".need-act a[href]") ?? e.target.querySelector("a[href]");
  if (!link) return false;
  link.click();
}
