// One stream of hints for all tabs. A browser opens few connections to one server, and
// each stream takes one for as long as its tab is open: with seven tabs, nothing would
// load any more. So one tab holds the stream under a lock and tells the others; when it
// goes, the next one has the lock and goes on from where that was.

const quiet = 40000; // a stream beats every 15 s; without a beat for so long it is dead
const kinds = ["hello", "beat", "hint", "live"];

// connect keeps one stream open: whenever it dies, it opens another from where it was.
// A machine that slept has a stream that says nothing and never ends.
export function connect(cursor, query, tell) {
  let source = null;
  let at = cursor;
  let heard = 0;
  let opened = 0;
  let hinted = false;
  let wait = 500;
  let timer = 0;

  function open() {
    clearTimeout(timer);
    source?.close();
    heard = opened = Date.now();
    hinted = false;
    source = new EventSource("/stream?" + new URLSearchParams({ cursor: at, ...query }));
    for (const kind of kinds) source.addEventListener(kind, hear);
    source.addEventListener("error", fail);
  }

  function hear(e) {
    heard = Date.now();
    if (e.lastEventId) at = e.lastEventId;
    if (e.type !== "hello") {
      hinted = true;
      wait = 500;
    }
    tell({ kind: e.type, data: JSON.parse(e.data), at });
  }

  function fail() {
    source.close();
    // One that ends before it said anything may begin where the record no longer does.
    if (heard > opened && !hinted && heard - opened < 2000) at = "";
    tell({ kind: "lost", at });
    wait = Math.min(4000, wait * 2);
    timer = setTimeout(open, wait * (0.5 + Math.random() / 2));
  }

  function look() {
    if (source.readyState !== EventSource.CLOSED && Date.now() - heard <= quiet) return;
    tell({ kind: "lost", at });
    open();
  }

  const looking = setInterval(() => Date.now() - heard > quiet && look(), 5000);
  const awake = () => document.hidden || look();
  addEventListener("online", look);
  document.addEventListener("visibilitychange", awake);
  open();
  return {
    close() {
      clearTimeout(timer);
      clearInterval(looking);
      removeEventListener("online", look);
      document.removeEventListener("visibilitychange", awake);
      source.close();
    },
  };
}

// follow tells what the stream says, from the cursor on, whichever tab holds it.
export function follow(cursor, take) {
  if (!navigator.locks || !window.BroadcastChannel) return alone(cursor, take);
  const channel = new BroadcastChannel("parley-stream");
  let at = cursor;
  let heard = Date.now();
  let connected = true;
  let stream = null;
  let leads = false;

  function tell(message) {
    if (message.at) at = message.at;
    connected = message.kind !== "lost";
    take(message);
    if (leads) channel.postMessage(message);
  }

  channel.addEventListener("message", ({ data: message }) => {
    if (message.kind === "who") {
      if (leads) channel.postMessage({ kind: "here", at, connected });
      return;
    }
    if (stream) return; // its own says it
    heard = Date.now();
    if (message.kind === "here") {
      // This tab was drawn at another moment than the stream is at.
      if (message.at !== at) take({ kind: "behind" });
      at = message.at;
      if (!message.connected) take({ kind: "lost" });
      return;
    }
    if (message.at) at = message.at;
    take(message);
  });

  navigator.locks.request("parley-stream", () => new Promise(() => {
    leads = true;
    stream ??= connect(at, {}, tell);
  })).catch(() => { stream ??= connect(at, {}, tell); });
  channel.postMessage({ kind: "who" });
  // The tab that holds the stream may hang.
  setInterval(() => {
    if (!stream && Date.now() - heard > quiet) stream = connect(at, {}, tell);
  }, 5000);
}

// alone has a stream of its own while it is looked at.
function alone(cursor, take) {
  let at = cursor;
  const tell = (message) => {
    if (message.at) at = message.at;
    take(message);
  };
  whileSeen(() => connect(at, {}, tell), () => take({ kind: "behind" }));
}

// whileSeen keeps a stream open as long as the tab is looked at.
export function whileSeen(open, again = () => {}) {
  let stream = document.hidden ? null : open();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else if (!stream) {
      stream = open();
      again();
    }
  });
}
