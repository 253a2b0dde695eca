// A conversation: new messages come to its end, earlier ones at its top, and what becomes
// of those on the page is kept up to date. However long it is read, only so many messages
// are in the page.
import { changed } from "./live.js";
import { ours } from "./person.js";
import { morph } from "./morph.js";
import { speeches } from "./speech.js";

const most = 300; // messages in the page
let root, list, path, end;
const cut = []; // what was taken off at the end, the last on top

export function talk() {
  root = document.getElementById("talk");
  if (!root) return;
  list = document.getElementById("msgs");
  end = document.getElementById("end");
  path = root.dataset.place;
  end.querySelector("form")?.remove(); // what is displayed is marked by itself
  start();
  document.addEventListener("parley:hint", (e) => {
    if (e.detail.some((t) => ["message", "task", "approval", "question"].includes(t))) refresh();
  });
  document.addEventListener("visibilitychange", shown);
  addEventListener("scroll", shown, { passive: true });
  addEventListener("resize", shown, { passive: true });
  document.getElementById("compose")?.addEventListener("reset", sent);
  const more = document.getElementById("talk-new");
  more.firstElementChild.addEventListener("click", () => toEnd());
  edges();
  speeches(list, end, { atEnd, toEnd, refresh });
  shown();
}

// start goes to what the address names, to what is new, or to the end.
function start() {
  if (location.hash.length > 1 && location.hash !== "#end" && document.getElementById(location.hash.slice(1))) return;
  const fresh = document.getElementById("new");
  if (fresh) fresh.scrollIntoView({ block: "center" });
  else if (!new URLSearchParams(location.search).has("at")) toEnd();
}

const messages = () => list.querySelectorAll(".msg[data-n]");
const last = () => [...messages()].at(-1);
const atEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 80;

function toEnd() {
  scrollTo(0, document.documentElement.scrollHeight);
}

// ask reads lines of the conversation.
async function ask(query) {
  const answer = await fetch(path + "?" + new URLSearchParams(query), { headers: { "Parley-Parts": "lines" } });
  if (answer.status === 401) location.reload();
  if (!ours(answer) || !answer.ok) throw new Error(answer.status);
  const parts = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { lines: parts.getElementById("lines"), again: parts.getElementById("again") };
}

let reading = false;
let dirty = false;

// refresh reads what is new, and once more what can still change.
export async function refresh() {
  dirty = true;
  if (reading) return;
  reading = true;
  try {
    while (dirty) {
      dirty = false;
      await catchUp();
    }
  } catch {
    // the stream tells that the connection is lost, and to read again afterwards
  } finally {
    reading = false;
  }
}

async function catchUp() {
  const query = {};
  const open = [...list.querySelectorAll(".msg[data-open]")].slice(-40).map((e) => e.id);
  if (open.length > 0) query.again = open.join(",");
  const newest = last();
  const attached = !document.getElementById("later");
  if (newest) query.after = newest.id;
  if (!newest && !attached) return;
  const { lines, again } = await ask(query);
  for (const e of again.querySelectorAll(".msg")) {
    const now = document.getElementById(e.id);
    if (now) morph(now, document.adoptNode(e));
  }
  if (!attached) return;
  append(lines);
  if (lines.dataset.later) dirty = true;
}

let own = false; // the visitor has just written

function append(lines) {
  const fresh = [...lines.children].filter((e) => !e.id || !document.getElementById(e.id));
  if (fresh.length === 0) return;
  const stay = own || atEnd();
  document.getElementById("nobody")?.remove();
  const before = list.querySelector(".msg.live") ?? document.getElementById("later") ?? end;
  for (const e of fresh) before.before(document.adoptNode(e));
  own = false;
  const said = fresh.filter((e) => e.classList.contains("msg"));
  if (stay) {
    trimTop();
    toEnd();
  } else {
    unread(said.length);
  }
  announce(said);
  shown();
}

function sent() {
  own = true;
  if (document.getElementById("later")) location.assign(path);
}

let waiting = 0;

function unread(n) {
  waiting += n;
  const more = document.getElementById("talk-new");
  more.hidden = waiting === 0;
  more.firstElementChild.textContent = waiting === 1 ? "1 new message" : `${waiting} new messages`;
}

// announce says to who cannot see it what was said; once, and not word by word.
function announce(said) {
  const other = said.filter((e) => !e.querySelector(".msg-h .meta")?.textContent.includes("you")).slice(-3);
  if (other.length === 0) return;
  document.getElementById("live").textContent = other
    .map((e) => `${e.querySelector(".msg-h b")?.textContent ?? "parley"}: ${e.querySelector(".msg-b").textContent.replace(/\s+/g, " ").slice(0, 200)}`)
    .join(". ");
}

let seenEdges;

// edges loads more where the page ends.
function edges() {
  seenEdges = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) load(e.target);
  }, { rootMargin: "800px 0px" });
  for (const id of ["earlier", "later"]) {
    const e = document.getElementById(id);
    if (e) seenEdges.observe(e);
  }
  list.addEventListener("click", (e) => {
    const edge = e.target.closest("#earlier a, #later a:first-child");
    if (!edge || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    load(edge.parentElement);
  });
}

async function load(edge) {
  if (edge.ariaBusy === "true") return;
  edge.ariaBusy = "true";
  try {
    if (edge.id === "earlier") await earlier(edge);
    else await later(edge);
  } catch {
    // pressing it tries again
  }
  edge.ariaBusy = "false";
  // It is looked at once more, since it may still be in sight.
  seenEdges.unobserve(edge);
  if (edge.isConnected) seenEdges.observe(edge);
}

async function earlier(edge) {
  const first = messages()[0];
  if (!first) return;
  const { lines } = await ask({ before: first.id });
  keep(() => {
    document.getElementById("new")?.remove();
    for (const e of [...lines.children]) {
      if (e.classList.contains("day")) document.getElementById(e.id)?.remove();
    }
    const top = edge.nextElementSibling;
    for (const e of [...lines.children]) top.before(document.adoptNode(e));
    if (!lines.dataset.earlier) edge.remove();
    else edge.firstElementChild.href = lines.dataset.earlier;
    trimEnd();
  });
}

async function later(edge) {
  const piece = cut.at(-1);
  const from = last();
  if (!from) return;
  const { lines } = await ask(piece ? { upto: piece.last, above: piece.first } : { after: from.id });
  if (piece) cut.pop();
  keep(() => {
    for (const e of [...lines.children]) if (!document.getElementById(e.id)) edge.before(document.adoptNode(e));
    trimTop();
    if (cut.length === 0 && !lines.dataset.later) edge.remove();
  });
  if (!edge.isConnected) refresh(); // what has come meanwhile
}

// keep changes the list without moving what is looked at.
function keep(change) {
  const mark = [...messages()].find((e) => e.getBoundingClientRect().bottom > 60);
  const was = mark?.getBoundingClientRect().top;
  change();
  if (mark?.isConnected) scrollBy({ top: mark.getBoundingClientRect().top - was, behavior: "instant" });
}

function trimTop() {
  const all = [...messages()];
  if (all.length <= most) return;
  const first = all[all.length - most];
  for (let e = list.firstElementChild; e && e !== first; ) {
    const next = e.nextElementSibling;
    if (e.id !== "earlier") e.remove();
    e = next;
  }
  let edge = document.getElementById("earlier");
  if (!edge) {
    edge = document.createElement("li");
    edge.id = "earlier";
    edge.className = "more";
    const link = document.createElement("a");
    link.className = "btn btn-q";
    link.textContent = "Earlier messages";
    edge.append(link);
    list.prepend(edge);
    seenEdges.observe(edge);
  }
  edge.firstElementChild.href = `${path}?before=${first.id}#${first.id}`;
}

function trimEnd() {
  const all = [...messages()];
  if (all.length <= most) return;
  const gone = all.slice(most);
  cut.push({ first: gone[0].dataset.n, last: gone.at(-1).id });
  for (let e = gone[0]; e && e !== end && e.id !== "later"; ) {
    const next = e.nextElementSibling;
    if (!e.classList.contains("live")) e.remove();
    e = next;
  }
  if (document.getElementById("later")) return;
  const edge = document.createElement("li");
  edge.id = "later";
  edge.className = "more";
  for (const [text, href] of [["Later messages", path], ["The newest", path]]) {
    const link = document.createElement("a");
    link.className = "btn btn-q";
    link.textContent = text;
    link.href = href;
    edge.append(link);
  }
  end.before(edge);
  seenEdges.observe(edge);
}

let told = 0;
let pending = null;
let marked = -1000;

// shown marks as read what can be seen on the screen, if anybody can see it.
function shown() {
  if (atEnd() && waiting > 0) unread(-waiting);
  if (document.visibilityState !== "visible" || pending) return;
  pending = setTimeout(mark, performance.now() - marked < 1000 ? 500 : 50);
}

async function mark() {
  pending = null;
  marked = performance.now();
  if (document.visibilityState !== "visible") return;
  const seen = [...messages()].filter((e) => e.getBoundingClientRect().top < innerHeight - 60);
  const fresh = seen.filter((e) => "unseen" in e.dataset && e.getBoundingClientRect().bottom > 0);
  const upto = Number(seen.at(-1)?.dataset.n ?? 0);
  const known = Math.max(told, Number(root.dataset.upto));
  const counts = root.dataset.read.startsWith("#") && root.dataset.upto !== "-1" && upto > known;
  if (fresh.length === 0 && !counts) return;
  const form = new URLSearchParams({ person: document.body.dataset.person, seen: fresh.map((e) => e.id).join(",") });
  if (counts) {
    form.set("place", root.dataset.read);
    form.set("upto", upto);
  }
  for (const e of fresh) delete e.dataset.unseen;
  try {
    const answer = await fetch("/read", { method: "POST", body: form, headers: { "Parley-Fetch": "1" } });
    if (!ours(answer) || !answer.ok) throw new Error(answer.status);
    told = Math.max(told, upto);
    changed(["read"]);
  } catch {
    for (const e of fresh) e.dataset.unseen = "";
  }
}
