// What agents are saying at this moment. It is only shown: what counts is the message
// that is stored in the end, which takes its place.

import { renew } from "./forms.js";

export function speeches(list, end, view) {
  const now = new Map(); // by task
  document.addEventListener("parley:live", (e) => {
    const stay = view.atEnd();
    for (const piece of e.detail) take(piece);
    if (stay) view.toEnd();
  });

  // Who ended while nobody listened says no end. Whoever still speaks is told again.
  document.addEventListener("parley:listening", () => {
    const gone = [...now.values()];
    now.clear();
    if (gone.length > 0) view.refresh().finally(() => gone.forEach((e) => e.remove()));
  });

  function take(piece) {
    if (piece.kind === "end") {
      const e = now.get(piece.task);
      now.delete(piece.task);
      if (e) view.refresh().finally(() => e.remove());
      return;
    }
    if (piece.kind === "restart") {
      const e = now.get(piece.task);
      if (e) words(e).textContent = "";
      return;
    }
    if (piece.kind === "step" && !now.has(piece.task)) return; // it has said nothing yet
    const e = now.get(piece.task) ?? begin(piece);
    if (piece.kind === "step") words(e).textContent = "";
    if (piece.kind === "text") words(e).textContent += piece.text;
    e.querySelector(".state span").textContent = piece.kind === "tool" ? "uses " + piece.text : "speaks now";
  }

  const words = (e) => e.querySelector(".speech");

  function begin(piece) {
    const e = document.getElementById("speaker").content.firstElementChild.cloneNode(true);
    const picture = e.querySelector(".av");
    picture.textContent = [...piece.who].slice(0, 2).join("");
    picture.classList.toggle("av-c", piece.outside === true);
    e.querySelector("b").textContent = piece.who;
    const link = e.querySelector(".msg-foot a");
    link.textContent = piece.task;
    link.href = "/tasks/" + encodeURIComponent(piece.task);
    e.querySelector("input[name=task]").value = piece.task;
    renew(e);
    now.set(piece.task, e);
    end.before(e);
    return e;
  }
}
