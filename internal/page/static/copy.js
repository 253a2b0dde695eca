// Copy buttons: they copy what stands in the element that they name, or what is at the
// address that they name.
export function copying() {
  const show = () => {
    if (navigator.clipboard) for (const b of document.querySelectorAll("button:is([data-copy], [data-copy-from])[hidden]")) b.hidden = false;
  };
  show();
  document.addEventListener("parley:changed", show);
  document.addEventListener("click", async (e) => {
    const button = e.target.closest?.("button:is([data-copy], [data-copy-from])");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.dataset.copyFrom ? await fetched(button.dataset.copyFrom) : shown(button.dataset.copy));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
  });
}

function shown(id) {
  const from = document.getElementById(id);
  const lines = [...from.querySelectorAll(".lt")].map((l) => l.textContent);
  return lines.length > 0 ? lines.join("\n") : (from.querySelector("code") ?? from).textContent;
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
}
