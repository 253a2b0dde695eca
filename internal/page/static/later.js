// A part that could not say everything at once names when to ask for it again.
import { changed } from "./live.js";

let waits = 0;

export function later() {
  const look = () => {
    const part = document.querySelector("[data-later]");
    if (!part || waits) return;
    waits = setTimeout(() => {
      waits = 0;
      changed(["later"]);
    }, Number(part.dataset.later));
  };
  document.addEventListener("parley:changed", look);
  look();
}
