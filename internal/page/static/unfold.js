// Folded steps and files: one button unfolds all, and folds them again. A page of steps
// keeps its place in its address, so that it grows where it began.

const open = new Set(); // ids of what is unfolded as a whole
const met = new WeakSet(); // details that were there before, which the reader may have folded

export function unfold() {
  document.addEventListener("click", (e) => {
    const b = e.target.closest?.("button[data-unfold]");
    if (!b) return;
    const id = b.dataset.unfold;
    if (open.has(id)) open.delete(id);
    else open.add(id);
    for (const d of folds(id)) d.open = open.has(id);
    ready();
  });
  document.addEventListener("parley:changed", ready);
  ready();
  keepPlace();
}

const folds = (id) => document.getElementById(id)?.querySelectorAll("details") ?? [];

// ready names the buttons, and unfolds what is new while all is unfolded.
function ready() {
  for (const b of document.querySelectorAll("button[data-unfold]")) {
    const id = b.dataset.unfold;
    b.hidden = false;
    b.textContent = open.has(id) ? "Fold all" : "Unfold all";
    for (const d of folds(id)) {
      if (open.has(id) && !met.has(d)) d.open = true;
      met.add(d);
    }
  }
}

function keepPlace() {
  const from = document.getElementById("task-steps")?.dataset.from;
  const at = new URL(location.href);
  if (!from || at.searchParams.has("from") || at.searchParams.has("before")) return;
  at.searchParams.set("from", from);
  history.replaceState(history.state, "", at);
}
