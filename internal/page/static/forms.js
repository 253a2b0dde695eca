// Forms with data-fetch are sent without leaving the page.
import { changed } from "./live.js";

// What was tried to send, by form, until it is known to have arrived. The same goes again
// under the same key, which the hub does once; anything else gets a new key.
const tried = new WeakMap();

export function forms() {
  document.addEventListener("submit", send);
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || e.shiftKey || e.isComposing || !e.target.matches("form[data-fetch] textarea")) return;
    if (e.defaultPrevented) return; // a completion was taken
    const form = e.target.form;
    // In a message Enter sends. What ends a matter takes more, and what decides one a button.
    if (!form.matches(".compose") && (form.hasAttribute("data-by-button") || !(e.ctrlKey || e.metaKey))) return;
    e.preventDefault();
    form.requestSubmit();
  });
}

// renew gives forms new keys.
export function renew(within) {
  for (const key of within.querySelectorAll("input[name=key]")) key.value = crypto.getRandomValues(new Uint32Array(4)).join("-");
}

// attempt is what a draft keeps of a form, and resume takes it up again.
export function attempt(form) {
  return { key: form.elements.key.value, tried: tried.get(form) };
}

export function resume(form, key, what) {
  form.elements.key.value = key;
  if (what) tried.set(form, what);
}

// content is what a form would send, without what stands for the form itself.
function content(data) {
  const all = [...data].filter(([name]) => name !== "key" && name !== "person");
  return JSON.stringify(all.map(([name, v]) => (v instanceof File ? [name, v.name, v.size, v.lastModified * Math.sign(v.size)] : [name, v])));
}

async function send(e) {
  const form = e.target;
  if (!form.matches("form[data-fetch]")) return;
  e.preventDefault();
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  problem(form, "");
  try {
    const data = new FormData(form, e.submitter);
    const what = content(data);
    if (tried.has(form) && tried.get(form) !== what) {
      renew(form);
      data.set("key", form.elements.key.value);
    }
    tried.set(form, what);
    form.dispatchEvent(new CustomEvent("parley:tried"));
    const text = form.elements.text;
    const sent = text?.value;
    const body = form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
    const answer = await fetch(form.action, { method: "POST", body, headers: { "Parley-Fetch": "1" } });
    const said = await answer.json().catch(() => null);
    if (!said && (answer.ok || answer.status >= 500)) throw new Error(answer.status);
    if (!answer.ok || !said) {
      if (said?.renew) renew(form);
      problem(form, said ? [said.error, said.hint].filter(Boolean).join(" ") : `This was not taken: the hub answered ${answer.status}. Try again.`);
      return;
    }
    const now = text?.value;
    tried.delete(form);
    renew(form);
    form.reset();
    if (now !== sent && now.startsWith(sent)) text.value = now.slice(sent.length).trimStart(); // what was written meanwhile
    if (said.go && said.go !== location.pathname && !form.hasAttribute("data-stay")) location.assign(said.go);
    else {
      if (said.said) told(form, said.said);
      changed(["message", "task", "approval", "agent", "tree"]);
    }
  } catch {
    problem(form, "It is not known whether this was sent: the connection was lost. Sent again as it is, it arrives once.");
    changed(["message", "task", "approval", "agent", "tree"]);
  } finally {
    form.ariaBusy = "false";
  }
}

// told shows the outcome of a form that stays on its page, and folds the form.
function told(form, text) {
  let line = document.querySelector("p.told");
  if (!line) {
    line = document.createElement("p");
    line.className = "told";
    line.setAttribute("role", "status");
    document.getElementById("lost").after(line);
  }
  line.textContent = text;
  form.closest("details")?.removeAttribute("open");
}

function problem(form, text) {
  let line = form.querySelector(".form-problem");
  if (!line) {
    line = document.createElement("p");
    line.className = "form-problem fail";
    line.setAttribute("role", "alert");
    form.append(line);
  }
  line.textContent = text;
  line.hidden = text === "";
}
