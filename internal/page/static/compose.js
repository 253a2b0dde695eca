// The composer: what is written stays until it is sent, and files come by the button, by
// pasting or by dropping them.
import { complete } from "./complete.js";
import { attempt, resume } from "./forms.js";
import { draftName, drafts } from "./person.js";

export function compose() {
  drafts();
  const form = document.getElementById("compose");
  if (!form || form.tagName !== "FORM") return;
  const text = form.elements.text;
  draft(form, text);
  files(form, text);
  for (const field of form.querySelectorAll("[data-complete]")) complete(form, field);
}

// draft keeps what is written, with the key under which it was tried: if it has arrived
// without anybody knowing, sending it again finds it.
function draft(form, text) {
  const name = draftName();
  const was = JSON.parse(sessionStorage.getItem(name));
  if (was && (!text.value || text.value === was.text)) { // some browsers keep it as well
    text.value = was.text;
    resume(form, was.key, was.tried);
  }
  const keep = () => sessionStorage.setItem(name, JSON.stringify({ text: text.value, ...attempt(form) }));
  const grow = () => { text.rows = Math.min(10, text.value.split("\n").length); };
  grow();
  text.addEventListener("input", () => {
    grow();
    if (text.value) keep();
    else sessionStorage.removeItem(name);
  });
  form.addEventListener("parley:tried", keep);
  form.addEventListener("reset", () => {
    sessionStorage.removeItem(name);
    queueMicrotask(() => { text.rows = 1; });
  });
}

function files(form, text) {
  const input = form.elements.file;
  const list = form.querySelector(".files-here");
  const show = () => {
    list.replaceChildren(...[...input.files].map((f, i) => chip(f, () => keep((_, at) => at !== i))));
    list.hidden = input.files.length === 0;
  };
  const keep = (choose, more = []) => {
    const all = new DataTransfer();
    for (const f of [...[...input.files].filter(choose), ...more]) all.items.add(f);
    input.files = all.files;
    show();
  };
  input.addEventListener("change", show);
  form.addEventListener("reset", () => queueMicrotask(show));
  const add = (data, e) => {
    if (!data || data.files.length === 0) return;
    e.preventDefault();
    keep(() => true, data.files);
    text.focus();
  };
  text.addEventListener("paste", (e) => add(e.clipboardData, e));
  document.addEventListener("dragover", (e) => {
    if ([...e.dataTransfer.types].includes("Files")) e.preventDefault();
  });
  document.addEventListener("drop", (e) => add(e.dataTransfer, e));
}

function chip(file, remove) {
  const e = document.createElement("li");
  e.className = "file-here";
  const name = document.createElement("span");
  name.textContent = file.name;
  const size = document.createElement("span");
  size.className = "meta";
  size.textContent = file.size < 1024 ? `${file.size}\u00a0B` : `${Math.ceil(file.size / 1024).toLocaleString("en")}\u00a0KB`;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-q";
  button.textContent = "Remove";
  button.setAttribute("aria-label", "Remove " + file.name);
  button.addEventListener("click", remove);
  e.append(name, size, button);
  return e;
}
