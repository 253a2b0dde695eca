// The page's script. Everything works without it, except that what is shown does not
// change by itself.
import { listen } from "./live.js";
import { forms } from "./forms.js";
import { clocks } from "./clocks.js";
import { find } from "./find.js";
import { later } from "./later.js";
import { unfold } from "./unfold.js";
import { copying } from "./copy.js";
import { keys } from "./keys.js";
import { palette } from "./palette.js";
import { notices } from "./signal.js";
import { compose } from "./compose.js";
import { talk } from "./talk.js";

clocks();
find();
forms();
unfold();
later();
copying();
keys();
palette();
notices();
compose();
talk();
listen();
document.documentElement.dataset.script = "on";
