// Search while one types, and choices that take effect at once. The address always says
// what is shown, so it can be kept and sent.
import { morph } from "./morph.js";
import { ours } from "./person.js";

export function find() {
  const form = document.querySelector("form[data-search]");
  if (form) search(form);
  document.addEventListener("change", (e) => {
    // Dates are chosen one after the other, and shown with the button.
    if (e.target.matches("form[data-at-once] select") && e.target.value !== "own") e.target.form.requestSubmit();
  });
}

function search(form) {
  let timer, running;
  const later = (pause) => {
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  };
  form.addEventListener("input", () => later(150));
  form.addEventListener("change", () => later(0));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    later(0);
  });

  async function look() {
    const words = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value !== "") words.set(name, value);
    const query = words.toString();
    const address = form.getAttribute("action") + (query ? "?" + query : "");
    if (address === location.pathname + location.search) return;
    running?.abort();
    running = new AbortController();
    history.replaceState(null, "", address);
    const now = document.getElementById("hits");
    now.ariaBusy = "true";
    try {
      const answer = await fetch(address, { headers: { "Parley-Parts": "hits" }, signal: running.signal });
      if (answer.status === 401) location.reload();
      if (!ours(answer) || !answer.ok) return;
      const want = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("hits");
      if (want) morph(now, document.adoptNode(want));
      document.dispatchEvent(new CustomEvent("parley:changed", { detail: ["hits"] }));
    } catch {
      // A later look took over, or the connection is lost, which the page says.
    } finally {
      now.removeAttribute("aria-busy");
    }
  }
}
