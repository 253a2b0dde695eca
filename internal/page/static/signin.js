// Nobody finds what somebody else has written before. A link that was opened by its reader
// signs in by itself.
import { forget } from "./person.js";

forget();
document.querySelector('form[data-auto="true"]')?.submit();
