"""An agent program: it counts the words of what it is asked. Asked to count what somebody
else says ("ask DataBot: What was the revenue?"), it asks them first."""

import logging
import pathlib
import signal
import sys

# parley.py is one file: copy it beside your program instead of this line.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))

import parley


def count(work):
    text = work.text.split("\n\n", 1)[-1]  # without the header
    if text.startswith("ask ") and ": " in text:
        whom, question = text[len("ask "):].split(": ", 1)
        work.progress(f"Asking {whom}.")
        text = work.ask(whom, question)
    return f"{len(text.split())} words"


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop in order, as with Ctrl-C
    try:
        # A hub that is away is waited for.
        parley.Client.from_env().serve(count)
    except parley.Error as err:
        sys.exit(f"{err}")  # it was refused for good: its token was revoked, for instance
