// Whose page this is. All tabs of a browser are signed in as the same person: who signs in
// in one of them takes over the others, and must not find there what belongs to somebody
// else, nor go on in their name.

const mine = document.body.dataset.person;

// ours reports whether an answer is for whom the page was made. If it is not, the page is
// loaded again.
export function ours(answer) {
  return same(answer.headers.get("Parley-Person"));
}

export function same(person) {
  if (!mine || !person || person === mine) return true;
  for (const e of document.querySelectorAll("textarea, input")) e.value = e.defaultValue; // browsers keep what was written
  location.reload();
  return false;
}

// draftName is what the browser keeps under it until it is sent.
export function draftName() {
  return `draft:${mine}:${location.pathname}`;
}

// forget removes all drafts, or all but those of one person.
export function forget(but) {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith("draft:") && !name.startsWith(`draft:${but}:`)) sessionStorage.removeItem(name);
  }
}

// drafts removes those of other people, and all when one signs out.
export function drafts() {
  forget(mine);
  document.querySelector('form[action="/signout"]')?.addEventListener("submit", () => forget());
}
