// The palette: go to anybody, anything, or search. Without script it is a link to the
// search.
import { single, writes } from "./keys.js";
import { ours } from "./person.js";

export function palette() {
  const box = document.getElementById("palette");
  if (!box?.showModal) return;
  const field = box.querySelector("input");
  const list = box.querySelector("[role=listbox]");
  let turn = 0;
  let at = 0;
  let moved = false; // whether somebody chose since the last letter
  let answered = Promise.resolve();

  document.addEventListener("keydown", (e) => {
    const slash = e.key === "/" && single() && !e.ctrlKey && !e.metaKey && !e.altKey && !writes(e.target) && !document.querySelector("dialog[open]");
    const k = e.key.toLowerCase() === "k" && (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
    if (e.defaultPrevented || e.isComposing || !(slash || k)) return;
    e.preventDefault();
    show();
  });
  document.addEventListener("click", (e) => {
    if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || !e.target.closest?.("[data-palette]")) return;
    e.preventDefault();
    show();
  });
  box.addEventListener("click", (e) => e.target === box && box.close());
  field.addEventListener("input", look);
  field.addEventListener("keydown", (e) => {
    if (e.isComposing || list.children.length === 0) return;
    if (e.key === "ArrowDown") move(1);
    else if (e.key === "ArrowUp") move(-1);
    // Who types fast means what was typed, not what was found for half of it.
    else if (e.key === "Enter") answered.then(() => list.children[at]?.click());
    else return;
    e.preventDefault();
  });

  function show() {
    if (box.open) return;
    box.showModal();
    field.value = "";
    field.focus();
    look();
  }

  function look() {
    moved = false;
    answered = ask();
  }

  async function ask() {
    const mine = ++turn;
    let found;
    try {
      const answer = await fetch("/palette?q=" + encodeURIComponent(field.value), { headers: { "Parley-Fetch": "1" } });
      if (!ours(answer) || !answer.ok) return;
      found = await answer.json();
    } catch {
      return; // Enter searches all the same
    }
    if (mine !== turn) return;
    const chosen = moved ? list.children[at]?.dataset.goal : undefined;
    list.replaceChildren(...found.map(draw));
    choose(Math.max(0, found.findIndex((goal) => goal.url === chosen)));
  }

  function draw(goal, i) {
    const option = document.createElement("li");
    option.id = "goal-" + i;
    option.dataset.goal = goal.url;
    option.setAttribute("role", "option");
    option.addEventListener("click", () => location.assign(goal.url));
    const name = document.createElement("bdi");
    name.textContent = goal.name;
    const note = document.createElement("span");
    note.className = "meta";
    note.textContent = goal.note ?? "";
    option.append(name, note);
    return option;
  }

  function move(by) {
    moved = true;
    choose(at + by);
  }

  function choose(i) {
    const n = list.children.length;
    if (n === 0) return field.removeAttribute("aria-activedescendant");
    at = (i + n) % n;
    [...list.children].forEach((o, j) => o.setAttribute("aria-selected", String(j === at)));
    field.setAttribute("aria-activedescendant", "goal-" + at);
    list.children[at].scrollIntoView({ block: "nearest" });
  }
}
