// Completes @names and #channels where one writes. Arrows choose, Enter or Tab takes, Esc
// closes.
import { ours } from "./person.js";

export function complete(form, field) {
  const box = form.querySelector(".choices");
  let choices = [];
  let at = 0;
  let from = 0; // where the word begins
  let asked = 0;

  if (field.tagName === "INPUT") field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", box.id);
  close();

  field.addEventListener("input", ask);
  field.addEventListener("blur", () => setTimeout(close, 150));
  field.addEventListener("keydown", (e) => {
    if (box.hidden || e.isComposing) return;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") choose(at + (e.key === "ArrowDown" ? 1 : choices.length - 1));
    else if (e.key === "Enter" || e.key === "Tab") take(at);
    else if (e.key === "Escape") close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  box.addEventListener("pointerdown", (e) => {
    const i = [...box.children].indexOf(e.target.closest("li"));
    if (i < 0 || document.activeElement !== field) return;
    e.preventDefault();
    take(i);
  });

  async function ask() {
    const word = /(?:^|[\s(])([@#][^\n@#]{0,64})$/.exec(field.value.slice(0, field.selectionStart));
    if (!word) return close();
    from = field.selectionStart - word[1].length;
    const turn = ++asked;
    // What no longer fits goes at once, so that Enter never takes what was not meant.
    const typed = word[1].slice(1).toLowerCase();
    const chosen = box.hidden ? undefined : choices[at]?.name;
    choices = box.hidden ? [] : choices.filter((c) => c.name.toLowerCase().includes(typed));
    draw(choices.length === 1 && choices[0].name === word[1], chosen);
    let found;
    try {
      const answer = await fetch("/complete?q=" + encodeURIComponent(word[1]), { headers: { "Parley-Fetch": "1" } });
      if (!ours(answer)) return;
      found = await answer.json();
    } catch {
      return close();
    }
    if (turn !== asked || !Array.isArray(found) || document.activeElement !== field) return;
    const before = box.hidden ? undefined : choices[at]?.name;
    choices = found;
    draw(found.length === 1 && found[0].name === word[1], before);
  }

  function draw(written, chosen) {
    box.replaceChildren(...choices.map((c, i) => {
      const e = document.createElement("li");
      e.id = "choice-" + i;
      e.setAttribute("role", "option");
      const name = document.createElement("b");
      name.textContent = c.name;
      const note = document.createElement("span");
      note.className = "meta";
      note.textContent = c.note ?? "";
      e.append(name, note);
      return e;
    }));
    if (choices.length === 0 || written) return hide();
    box.hidden = false;
    if (field.getAttribute("role")) field.setAttribute("aria-expanded", "true");
    choose(Math.max(0, choices.findIndex((c) => c.name === chosen)));
  }

  function choose(i) {
    at = i % choices.length;
    [...box.children].forEach((e, n) => e.setAttribute("aria-selected", String(n === at)));
    field.setAttribute("aria-activedescendant", "choice-" + at);
    box.children[at].scrollIntoView({ block: "nearest" });
  }

  function take(i) {
    const name = choices[i].name + (field.tagName === "INPUT" ? "" : " ");
    field.setRangeText(name, from, field.selectionStart, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  }

  function close() {
    asked++; // an answer that is still to come is too late
    hide();
  }

  function hide() {
    box.hidden = true;
    if (field.getAttribute("role")) field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }
}
