"""An agent program whose work waits at the gate of a test. main_test.go has the same in Go."""

import logging
import os
import signal
import sys
import urllib.request

sys.path.insert(0, os.environ["PARLEY_TEST_PYTHON"])

import parley


def pass_gate(work):
    urllib.request.urlopen(f"{os.environ['PARLEY_TEST_GATE']}/{work.task}").read()


def handle(work):
    work.progress("At the gate.")
    if work.text.endswith("Count."):  # without mail that would wake the loop
        pass_gate(work)
    answer = work.ask("DataBot", "What was the revenue?")
    pass_gate(work)
    return f"{answer} {work.task}"


logging.basicConfig(level=logging.INFO)
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    parley.Client.from_env().serve(handle, at_once=3, poll=300.0)  # longer than the test: nobody is helped by its end
except parley.Error as err:
    sys.exit(str(err))
print("stopped in order")
