// morph makes an element like another one by changing only what differs, so that the
// focus, what is being written, what is unfolded and where one has scrolled stay.

// update morphs, and gives the focus back where it could not stay.
export function update(now, want) {
  const focus = document.activeElement;
  morph(now, want);
  if (!focus || focus === document.body || document.activeElement === focus) return;
  const same = focus.isConnected ? focus : document.getElementById(focus.id); // null if it had no id
  same?.focus({ preventScroll: true });
}

export function morph(now, want) {
  if (now.isEqualNode(want)) return;
  // A form that does something else is another one, with nothing written in it.
  if (now.nodeType !== want.nodeType || now.nodeName !== want.nodeName || (now.nodeName === "FORM" && now.getAttribute("action") !== want.getAttribute("action"))) {
    now.replaceWith(want);
    return;
  }
  if (now.nodeType !== Node.ELEMENT_NODE) {
    if (now.nodeValue !== want.nodeValue) now.nodeValue = want.nodeValue;
    return;
  }
  attributes(now, want);
  if (now.hasAttribute("data-keep")) return; // the script's own
  children(now, want);
}

function attributes(now, want) {
  for (const { name } of [...now.attributes]) {
    if (!want.hasAttribute(name) && !kept(now, name)) now.removeAttribute(name);
  }
  for (const { name, value } of want.attributes) {
    if (now.getAttribute(name) !== value && !kept(now, name)) now.setAttribute(name, value);
  }
}

// typed are fields that hold what somebody writes. What else a form holds is the hub's, but
// for its key, which stands for the form as it was sent.
const typed = "textarea, input[name=key], input:not([type=hidden], [type=radio], [type=checkbox])";

// kept are attributes that belong to the reader: what is unfolded, what is written, what
// the keys made reachable, and buttons that only a script can show, which would lose the
// focus if they were hidden for a moment.
function kept(e, name) {
  return (e.nodeName === "DETAILS" && name === "open") || (e.nodeName === "BUTTON" && name === "hidden") || (name === "value" && e.matches(typed)) || (name === "tabindex" && e === document.activeElement);
}

function children(now, want) {
  // What goes does so first: moving what stays past it would take the focus away.
  const stay = new Set();
  for (const c of want.childNodes) if (c.id) stay.add(c.id);
  for (const c of [...now.childNodes]) if (c.id && !stay.has(c.id)) c.remove();
  let at = now.firstChild;
  for (const next of [...want.childNodes]) {
    const same = find(at, next);
    if (!same) {
      now.insertBefore(next, at);
      continue;
    }
    if (same !== at) now.insertBefore(same, at);
    else at = at.nextSibling;
    morph(same, next);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

// find is the child that stands for want: the one with its id, or else the next one if
// it is of the same kind and has no id of its own.
function find(at, want) {
  if (want.id) {
    for (let c = at; c; c = c.nextSibling) if (c.id === want.id) return c;
    return null;
  }
  if (at && !at.id && at.nodeType === want.nodeType && at.nodeName === want.nodeName) return at;
  return null;
}
