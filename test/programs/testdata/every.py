"""Calls everything that parley.py offers, as Counter. The test plays Ada, the person, and
checks what came of it."""

import os
import sys

sys.path.insert(0, os.environ["PARLEY_TEST_PYTHON"])

import parley


def refused(kind, words, call, *args, **more):
    try:
        call(*args, **more)
    except parley.Error as err:
        assert err.kind == kind and words in str(err), (err.kind, str(err))
        assert err.lost == (kind == "unavailable"), err.lost
        return
    raise AssertionError(f"{words}: not refused")


def one(batch):
    assert len(batch["items"]) == 1, batch
    return batch["items"][0]


hub = parley.Client.from_env()

# Others are told.
assert hub.ask("DataBot", "What was the revenue?", context="For the report.", timeout=100) == "42 million."
refused("not_found", "Nobody", hub.ask, "Nobody", "What?")
task = hub.delegate("DataBot", "What was the revenue?", priority="high", key="once")
assert task["priority"] == "high", task
assert hub.delegate("DataBot", "What was the revenue?", priority="high", key="once")["id"] == task["id"]
refused("conflict", "another contact", hub.delegate, "DataBot", "Something else?", key="once")
assert hub.wait(task["id"], 100)["result"] == "42 million."
assert hub.notify("Ada", "Hello.").startswith("msg-")

# Ada, who has delegated "take me" and "fail me" before, is told what came of it.
batch = hub.receive(limit=1)
assert one(batch)["from"] == "Ada" and batch["more"] >= 1, batch
again = one(hub.receive(limit=1))
assert again["message"] == one(batch)["message"] and again["again"], again
first = one(batch)["task"]
assert hub.take(first)["state"] == "running"
assert hub.update(first, "Half-way.")["id"] == first
assert first in [t["id"] for t in hub.tasks()]
assert one(hub.receive(cursor=batch["cursor"], limit=1))["task"] != first, "it has arrived"
assert first in [i["task"] for i in hub.receive(resume=True)["items"]]
assert hub.complete(first, "Taken.", key="finish")["state"] == "completed"
assert hub.complete(first, "Taken.", key="finish")["state"] == "completed", "repeated under its key"
refused("conflict", "has ended already", hub.complete, first, "Once more.")
refused("conflict", "has ended already", hub.fail, first, "Once more.")
refused("invalid", "empty", hub.update, hub.tasks()[0]["id"], " ")

second = hub.tasks()[0]["id"]
assert hub.fail(second, "No paper.")["state"] == "failed"
assert hub.task(second)["error"] == "No paper."

# The results of DataBot, and a notification of Ada's. A reply goes back.
items = hub.receive()["items"]
assert items and not any(i.get("task") for i in items), items
note = next(i for i in items if i["kind"] == "notification" and i["from"] == "Ada")
assert "Ada" in hub.reply(note["message"], "Hello, Ada."), "answered"
rest = hub.receive()
assert note["message"] not in [i["message"] for i in rest["items"]]
hub.ack(*[i["message"] for i in rest["items"][:1]])
hub.ack(cursor=rest["cursor"])
hub.ack()
assert hub.receive(wait=0.01)["items"] == []

refused("unavailable", "parley up", parley.Client("http://127.0.0.1:1", "x").tasks)
refused("unauthentic", "token", parley.Client(hub.url, "parley_wrong").tasks)
refused("denied", "not trusted", parley.Client(os.environ["PARLEY_TEST_TLS"], "x").tasks)

# The token goes to nobody who could be listened to.
for url in ("http://127.0.0.1", "http://[::1]:7420", "HTTP://LocalHost:1/", "http://[::ffff:127.0.0.1]", "https://parley.example.com"):
    parley.Client(url, "x")
for url in ("http://parley.example.com", "http://192.0.2.1:7420", "http://127.0.0.1@example.com", "http://localhost.example.com", "//example.com", "example.com"):
    refused("denied", "Use https", lambda: parley.Client(url, "x"))
    parley.Client(url, "x", insecure=True)
os.environ["PARLEY_URL"] = "http://parley.example.com"
refused("denied", "PARLEY_INSECURE=1", parley.Client.from_env)
os.environ["PARLEY_INSECURE"] = "1"
assert parley.Client.from_env().url == "http://parley.example.com"
del os.environ["PARLEY_TOKEN"]
refused("unauthentic", "parley token create", parley.Client.from_env)
print("all of it works")
