// Keeps the page up to date. The stream says what has changed; the parts that show it are
// asked for again and taken over. Nothing is missed: a stream that was cut goes on from
// the last event it had, and the parts are always read whole.
import { follow, connect, whileSeen } from "./stream.js";
import { update } from "./morph.js";
import { signal } from "./signal.js";
import { ours, same } from "./person.js";

const everything = ["agent", "approval", "budget", "channel", "claim", "keeper", "message", "model", "provider", "question", "rule", "session", "step", "task", "team", "token", "tree", "tree-step"];
const dirty = new Set(); // topics that have changed since the parts were read
const unsaid = new Set(); // the same for the title, which also a hidden tab keeps
let asking = false;
let lostAt = null;
let backAt = null;

export function listen() {
  const cursor = document.body.dataset.cursor || "";
  follow(cursor, take);
  const place = document.querySelector("[data-place]")?.dataset.place;
  if (place) whileSeen(() => connect("", { place }, ofPlace));
  // A task's page wants to hear of its own tree alone.
  const tree = document.querySelector("[data-tree]")?.dataset.tree;
  if (tree) whileSeen(() => connect("", { tree }, ofTree));
  document.addEventListener("visibilitychange", ask);
  signal(true);
}

function ofPlace({ kind, data }) {
  if (kind === "hello") document.dispatchEvent(new CustomEvent("parley:listening"));
  if (kind === "live") document.dispatchEvent(new CustomEvent("parley:live", { detail: data }));
}

function ofTree({ kind, data }) {
  if (kind === "hello") changed(["tree", "tree-step"]); // since the page was drawn
  if (kind === "hint") changed(data.topics.filter((t) => t.startsWith("tree")));
}

function take({ kind, data }) {
  if (kind === "lost") return lost();
  if (kind === "behind") return changed(everything);
  connected();
  if (kind === "hello") {
    if (!same(data.person)) return;
    renewed(data.assets);
  }
  if (kind !== "hint") return;
  if (backAt && Date.now() - backAt < 2000) say(`Connected. ${data.count} events caught up.`);
  changed(data.topics);
}

// changed asks for the parts that show one of the topics.
export function changed(topics) {
  for (const t of topics) {
    dirty.add(t);
    unsaid.add(t);
  }
  document.dispatchEvent(new CustomEvent("parley:hint", { detail: topics }));
  ask();
}

async function ask() {
  if (asking) return;
  asking = true;
  try {
    for (let topics = next(); topics; topics = next()) {
      const ids = [...document.querySelectorAll(topics.where)].filter((e) => e.dataset.live.split(" ").some((t) => topics.set.has(t))).map((e) => e.id);
      if (ids.length === 0) continue;
      const from = performance.now();
      if (await read(ids)) {
        // Where much happens, reading it again and again must not take all the time.
        await new Promise((go) => setTimeout(go, Math.min(500, 2 * (performance.now() - from))));
        continue;
      }
      // The server was busy; what was to be read is still to be read.
      for (const t of topics.set) dirty.add(t);
      setTimeout(ask, 2000);
      return;
    }
  } finally {
    asking = false;
  }
}

// next is what to read: for a tab that nobody looks at, only how much waits.
function next() {
  const from = document.hidden ? unsaid : dirty;
  if (from.size === 0) return null;
  const set = new Set(from);
  unsaid.clear();
  if (!document.hidden) dirty.clear();
  return { set, where: document.hidden ? "#signal[data-live]" : "[data-live]" };
}

// read asks for parts of this view again. It returns false if that should be tried again.
async function read(ids) {
  let answer, text;
  try {
    answer = await fetch(location.href, { headers: { "Parley-Parts": ids.join(",") } });
    text = await answer.text();
  } catch {
    return lostAt !== null; // when the stream is back, everything is read again
  }
  if (answer.status === 401) {
    signedOut();
    return true;
  }
  if (!ours(answer)) return true;
  if (answer.status === 429 || answer.status >= 500) return false;
  if (!answer.ok) return true;
  const parts = new DOMParser().parseFromString(text, "text/html");
  for (const id of ids) {
    const now = document.getElementById(id);
    const want = parts.getElementById(id);
    if (now && want) update(now, document.adoptNode(want));
  }
  signal();
  document.dispatchEvent(new CustomEvent("parley:changed", { detail: ids }));
  return true;
}

// written reports whether a field holds what was not sent yet.
function written() {
  return [...document.querySelectorAll("textarea, input:not([type=hidden])")].some((e) => e.value !== e.defaultValue);
}

// signedOut leads to the page for signing in, and from there back to this one.
function signedOut() {
  if (!written()) return location.reload();
  const link = document.createElement("a");
  link.href = "/signin?next=" + encodeURIComponent(location.pathname + location.search);
  link.className = "link";
  link.textContent = "Sign in again";
  say("You are signed out. Copy what you have written. ", link);
}

// renewed loads the page again if the hub has a new program, whose parts this script may
// not understand.
function renewed(assets) {
  if (!assets || import.meta.url.includes("/" + assets + "/")) return;
  if (!written()) return location.reload();
  say("The hub has a new version. Load this page again when you have sent what you write.");
}

function lost() {
  if (lostAt === null) {
    lostAt = new Date();
    const at = lostAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    say(`Not connected since ${at}. Trying again.`);
    state("off", "not connected");
  }
  read(["signal"]); // a session that has ended ends the stream as well
}

function connected() {
  if (lostAt === null) return;
  lostAt = null;
  backAt = Date.now();
  state("run", "live");
  say("Connected.");
  setTimeout(() => lostAt === null && say(""), 4000);
  changed(everything); // what has no event of its own may have changed as well
}

function say(text, ...more) {
  const line = document.getElementById("lost");
  if (!line) return;
  line.replaceChildren(text, ...more);
  line.hidden = text === "";
}

function state(shape, word) {
  const e = document.getElementById("link-state");
  if (!e) return;
  e.querySelector("svg").setAttribute("class", "st st-" + shape);
  e.querySelector("svg").setAttribute("aria-label", word);
  e.querySelector("use").setAttribute("href", "#s-" + shape);
  e.querySelector("span").textContent = word;
}
