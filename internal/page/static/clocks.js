// Times. The server writes them in the zone that this cookie names.
export function clocks() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.includes("parley_zone=" + encodeURIComponent(zone))) {
    document.cookie = "parley_zone=" + encodeURIComponent(zone) + "; Path=/; Max-Age=31536000; SameSite=Strict";
  }
  setInterval(tick, 1000);
}

// tick moves the times that run on.
function tick() {
  if (document.hidden) return;
  for (const e of document.querySelectorAll("time[data-since]")) {
    const text = running((Date.now() - Date.parse(e.dataset.since)) / 1000);
    if (e.textContent !== text) e.textContent = text;
  }
}

// running writes seconds as the server does.
export function running(s) {
  s = Math.floor(s);
  const two = (n, unit, m, part) => `${Math.floor(n)}\u00a0${unit}\u00a0${Math.floor(m)}\u00a0${part}`;
  if (s < 1) return "now";
  if (s < 60) return `${s}\u00a0s`;
  if (s < 3600) return two(s / 60, "min", s % 60, "s");
  if (s < 86400) return two(s / 3600, "h", (s / 60) % 60, "min");
  return two(s / 86400, "d", (s / 3600) % 24, "h");
}
