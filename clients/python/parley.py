"""Talk to a parley hub from Python 3.9 or newer, with the standard library only.

Copy this file beside your program. An agent program is a function that takes a task and
returns its result:

    import parley

    def handle(work):
        work.progress("Counting.")
        return f"{len(work.text.split())} words."

    parley.Client.from_env().serve(handle)

PARLEY_URL is the hub's address (http://127.0.0.1:7420 if it is not set), and PARLEY_TOKEN
says who you are; "parley token create NAME" makes one. The token goes unencrypted to another
machine only with PARLEY_INSECURE=1.

serve waits for work, works on several tasks at once, and ends each with what the function
returns or raises. It waits for a hub that is away. A program that is killed and started
again goes on with the tasks that it had; each is ended once. There should be one such
program for an agent at a time.

A Client may be used by several threads. Every change carries a key. If its answer is lost
it is sent again with that key, so that it is done once.
"""

import hashlib
import http.client
import ipaddress
import json
import logging
import os
import queue
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime

__all__ = ["Client", "Error", "Work"]

log = logging.getLogger("parley")

CALL_TIMEOUT = 30.0  # seconds that a call may take which does not wait for something
LONGEST_POLL = 30.0  # seconds that one request waits for a task
BEAT = 30.0  # how often a program that is too busy to poll says that it is there
MOST_AT_ONCE = 100
LONGEST_REASON = 4000


class Error(Exception):
    """A refusal by the hub, or no hub (kind "unavailable" with lost set).

    kind is one of: invalid, not_found, conflict, denied, unavailable, limited, timeout,
    failed, unauthentic, internal. message and hint are words for a person or an agent.
    """

    def __init__(self, kind, message, hint="", lost=False):
        super().__init__(f"{message} {hint}".strip())
        self.kind, self.message, self.hint = kind, message, hint
        self.lost = lost  # no answer came: it is not known whether the hub did it

    @property
    def passes(self):
        """Whether it may be over if one waits."""
        return self.kind in ("unavailable", "limited", "timeout", "internal")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None  # the hub sends none, and the token goes to nobody else


def _private(url):
    """Whether nobody on the way to an address can read what is sent."""
    parts = urllib.parse.urlsplit(url)
    host = (parts.hostname or "").lower()
    if parts.scheme.lower() == "https" or host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False  # a name may lead anywhere
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


class Client:
    """A participant's connection to the hub; its token says whose."""

    def __init__(self, url, token, patience=10.0, insecure=False):
        if not insecure and not _private(url):
            raise Error("denied", f"The token would go to {url} unencrypted, so that others on the way could read it.",
                        "Use https. In a network that you trust, set PARLEY_INSECURE=1.")
        self.url = url.rstrip("/")
        self.token = token
        self.patience = patience  # for how long a change whose answer was lost is sent again
        # No proxy, so that only the hub sees the token.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)

    @classmethod
    def from_env(cls):
        token = os.environ.get("PARLEY_TOKEN", "")
        if not token:
            raise Error("unauthentic", "PARLEY_TOKEN is not set.", "Make a token with: parley token create NAME")
        insecure = os.environ.get("PARLEY_INSECURE") == "1"
        return cls(os.environ.get("PARLEY_URL") or "http://127.0.0.1:7420", token, insecure=insecure)

    # What others are told.

    def ask(self, agent, message, context="", task="", timeout=None, key=""):
        """Asks another agent, waits for the answer and returns it."""
        t = self._contact("ask", agent, message, context=context, task_id=task, timeout_seconds=timeout, key=key)["task"]
        asked, pauses = time.monotonic(), _Pauses()
        allowed = _seconds(t.get("wait_until"), t["created"])
        answered = False  # a contact that was made before may have ended, but has no result here
        while not answered:
            left = LONGEST_POLL if allowed is None else min(LONGEST_POLL, asked + allowed - time.monotonic())
            try:
                t = self.wait(t["id"], left)
                answered = bool(t.get("ended"))
            except Error as err:
                if err.kind != "unavailable":
                    raise
                pauses.next()  # the hub is away; the task is stored there
            if not answered and left <= 0:
                raise Error("timeout", f"{t['agent']} did not respond within {allowed:.0f} seconds.", f"Its work goes on as {t['id']}.")
        if t["state"] != "completed":
            raise Error("failed", f"{t['agent']} failed to respond: {t.get('error', '')}")
        if t.get("result_id"):
            self.ack(t["result_id"])
        return t.get("result", "")

    def delegate(self, agent, message, context="", priority="", task="", key=""):
        """Hands work to another agent and returns the new task. The result comes as mail."""
        return self._contact("delegate", agent, message, context=context, priority=priority, task_id=task, key=key)["task"]

    def notify(self, agent, message, task="", key=""):
        """Tells another agent something, and returns the message's id."""
        return self._contact("notify", agent, message, task_id=task, key=key)["message_id"]

    def reply(self, message, text, key=""):
        """Answers a message: completes the task that it asks for, or writes back."""
        return self._send(f"/v1/messages/{_quote(message)}/reply", {"text": text}, key)["text"]

    # What you are told.

    def receive(self, cursor="", limit=20, wait=0.0, resume=False):
        """Returns what you have not seen: {"items", "cursor", "more", "unread", "held"}.

        If there is nothing it waits. What is handed out comes again until you say that you
        have it: with the cursor in the next call, with ack, with reply, or with the end of
        its task. resume hands out again what you work on, and nothing else, at once.
        """
        query = {"limit": str(limit), "wait": f"{wait:.3f}s"}
        if cursor:
            query["cursor"] = cursor
        if resume:
            query["resume"] = "true"
        return self._call("GET", "/v1/inbox/wait?" + urllib.parse.urlencode(query), timeout=wait + CALL_TIMEOUT)

    def ack(self, *messages, cursor=""):
        """Tells the hub that messages have arrived, by their ids or a batch's cursor."""
        if messages or cursor:
            self._send("/v1/inbox/ack", {"messages": list(messages), "cursor": cursor})

    # Tasks.

    def tasks(self):
        """Lists your open tasks, the most urgent first."""
        return self._call("GET", "/v1/inbox/tasks")["tasks"]

    def task(self, task):
        """Reads a task with its result."""
        return self._call("GET", f"/v1/tasks/{_quote(task)}")

    def wait(self, task, seconds):
        """Waits until a task has ended, or for the time, and returns it as it is then."""
        end = time.monotonic() + seconds
        while True:
            poll = max(0.0, min(LONGEST_POLL, end - time.monotonic()))
            t = self._call("GET", f"/v1/tasks/{_quote(task)}/wait?seconds={poll:.3f}", timeout=poll + CALL_TIMEOUT)
            if t.get("ended") or time.monotonic() >= end:
                return t

    def take(self, task):
        """Makes a task that waits for you your own."""
        return self._change(task, "take", None, "")

    def update(self, task, note):
        """Says how far a task of yours is, for whoever looks on."""
        return self._change(task, "update", {"note": note}, "")

    def complete(self, task, result, key=""):
        """Ends a task of yours with its result. The first end counts."""
        return self._change(task, "complete", {"result": result}, key)

    def fail(self, task, reason, key=""):
        """Gives a task of yours up. Whoever asked reads the reason."""
        return self._change(task, "fail", {"reason": reason}, key)

    def serve(self, handler, mail=None, at_once=4, grace=10.0, poll=60.0, stop=None):
        """Works as an agent until stop (a threading.Event) is set or Ctrl-C comes.

        handler(work) returns the result of a task; what it raises fails the task. It runs
        in a thread of its own, and should look at work.cancelled now and then if it takes
        long. mail(item) is shown what is no task, one after the other.

        When it stops, tasks have the grace to end. What is not done by then is handed out
        again when the program is started again. An Error is raised if the hub refuses the
        program for good, as it does when the token was revoked.
        """
        _Loop(self, handler, mail, min(max(1, at_once), MOST_AT_ONCE), grace, poll, stop or threading.Event()).run()

    # The wire.

    def _contact(self, action, agent, message, **more):
        """Makes a contact. If it needs approval, it waits for that."""
        body = {"action": action, "agent": agent, "message": message}
        body.update({name: value for name, value in more.items() if value})
        body.setdefault("key", uuid.uuid4().hex)
        pauses = _Pauses()
        while True:
            made = self._send("/v1/contacts", body, body["key"])
            approval = made.get("approval")
            if not approval:
                return made
            if approval.get("state") != "pending":
                raise Error("denied", f"Approval denied for contacting {made.get('agent', agent)}.")
            pauses.next()

    def _change(self, task, verb, body, key):
        return self._send(f"/v1/tasks/{_quote(task)}/{verb}", body, key)

    def _send(self, path, body, key=""):
        """Changes something. A change whose answer is lost is sent again under its key."""
        key = key or uuid.uuid4().hex
        pauses, end = _Pauses(), None
        while True:
            try:
                return self._call("POST", path, body, key)
            except Error as err:
                end = end or time.monotonic() + self.patience
                if not err.lost or isinstance(err.__cause__, ConnectionRefusedError) or time.monotonic() >= end:
                    raise
                pauses.next()

    def _call(self, method, path, body=None, key="", timeout=CALL_TIMEOUT):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", "Bearer " + self.token)
        request.add_header("Accept", "application/json")
        if key:
            request.add_header("Idempotency-Key", key)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with self._opener.open(request, timeout=timeout) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as err:
            with err:
                raise _problem(err.code, err.read(64 << 10)) from None
        except (OSError, http.client.HTTPException, ValueError) as err:
            reason = getattr(err, "reason", None)
            err = reason if isinstance(reason, OSError) else err
            if isinstance(err, ssl.SSLCertVerificationError):
                raise Error("denied", f"The certificate of the hub at {self.url} is not trusted: {err.verify_message}.", "SSL_CERT_FILE names those that are.") from err
            raise Error("unavailable", f"No hub answers at {self.url} ({err}).", "Start one with: parley up", lost=True) from err


def _problem(status, text):
    try:
        p = json.loads(text)
        return Error(p["kind"], p["message"], p.get("hint", ""))
    except (ValueError, KeyError, TypeError):
        return Error("internal", f"What answers at this address is not a parley hub: {status}.")


def _quote(text):
    return urllib.parse.quote(str(text), safe="")


def _seconds(end, start):
    """The time between two instants of the hub, whose clock may be another one."""
    if not end:
        return None
    end, start = (datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S") for text in (end, start))
    return (end - start).total_seconds() + 1  # without the fractions


class _Pauses:
    """Pauses that grow from a tenth of a second to five seconds."""

    def __init__(self):
        self.n = 0

    def next(self, stop=None):
        wait = min(0.1 * 2**self.n, 5.0)
        self.n += 1
        if stop is None:
            time.sleep(wait)
        else:
            stop.wait(wait)


class Work:
    """One task that a handler works on.

    text is the request as an agent reads it, sender is who asked, task is its id, and
    again says that it was handed out before: to this program before it was started anew,
    for instance.

    What a handler tells others through its work belongs to the task. It carries a key made
    of the task and the words, so that a handler that runs a second time finds what it asked
    the first time, and nobody is asked twice.
    """

    def __init__(self, client, item):
        self.client, self.item = client, item
        self.task, self.text = item["task"], item["text"]
        self.sender, self.again = item.get("from", ""), item.get("again", False)
        self._ended = threading.Event()
        self._lock, self._said = threading.Lock(), {}

    @property
    def cancelled(self):
        """Whether the task was cancelled or the program stops."""
        return self._ended.is_set()

    def progress(self, note):
        """Says how far the work is, for whoever looks on."""
        self.client.update(self.task, note)

    def ask(self, agent, message, **more):
        return self._made("ask", agent, message, **more)

    def delegate(self, agent, message, **more):
        return self._made("delegate", agent, message, **more)

    def notify(self, agent, message):
        return self._made("notify", agent, message)

    def _made(self, action, agent, message, **more):
        """Makes a contact for this task, and waits for a hub that is away."""
        key, pauses = self._key(action, agent, message), _Pauses()
        while True:
            try:
                return getattr(self.client, action)(agent, message, task=self.task, key=key, **more)
            except Error as err:
                if not err.lost or self.cancelled:
                    raise
            pauses.next(self._ended)

    def _key(self, *words):
        digest = hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]
        with self._lock:
            self._said[digest] = self._said.get(digest, 0) + 1
            return f"{self.task} {digest} {self._said[digest]}"


class _Loop:
    """serve while it runs. The thread that called it receives; others work."""

    def __init__(self, client, handler, mail, at_once, grace, poll, stop):
        self.client, self.handler, self.mail = client, handler, mail
        self.at_once, self.grace, self.poll, self.stop = at_once, grace, poll, stop
        self.given_up = threading.Event()  # handlers are not waited for any longer
        self.changed = threading.Condition()
        self.busy = {}  # Work by task
        self.waiting = queue.Queue()
        self.cursor = ""

    def run(self):
        for _ in range(self.at_once):
            threading.Thread(target=self._worker, daemon=True).start()
        threading.Thread(target=self._beats, daemon=True).start()
        try:
            self._receive()
            self._settle()
        except KeyboardInterrupt:
            self.stop.set()
            self._settle()
        finally:
            self.stop.set()
            self.given_up.set()
            with self.changed:
                for work in self.busy.values():
                    work._ended.set()
            for _ in range(self.at_once):
                self.waiting.put(None)

    def _receive(self):
        """Begins what comes.

        A cursor is given back when everything of its batch is either done or held by this
        program's agent, who is handed it again when it resumes.
        """
        resume, pauses = True, _Pauses()
        while self._room():
            try:
                if resume:
                    batch = self.client.receive(self.cursor, MOST_AT_ONCE, resume=True)
                else:
                    batch = self.client.receive(self.cursor, max(1, self.at_once - len(self.busy)), wait=self.poll)
            except Error as err:
                if not err.passes:
                    raise
                log.warning("No work from the hub; trying again. %s", err)
                pauses.next(self.stop)
                continue
            pauses, self.cursor = _Pauses(), batch.get("cursor", "")
            began = self._begin(batch["items"])
            with self.changed:
                missing = any(task not in self.busy for task in batch.get("held") or [])
            # Tasks that are held and not worked on were handed out in a response that got
            # lost. Looking for them twice in a row shows nothing new.
            resume = missing and (began or not resume)

    def _room(self):
        with self.changed:
            while not self.stop.is_set() and len(self.busy) >= self.at_once:
                self.changed.wait(1.0)
        return not self.stop.is_set()

    def _begin(self, items):
        began = False
        for item in items:
            if not item.get("task"):
                continue
            with self.changed:
                if item["task"] in self.busy:
                    continue
                work = self.busy[item["task"]] = Work(self.client, item)
            self.waiting.put(work)
            began = True
        for item in items:
            if item.get("task"):
                continue
            if item["kind"] == "task_ended":
                self._drop_ended()
            elif self.mail is None:
                log.debug("Mail from %s: %s", item.get("from", "the hub"), item["message"])
            else:
                try:
                    self.mail(item)
                except Exception:
                    log.exception("The function for mail failed on %s.", item["message"])
        return began

    def _worker(self):
        while True:
            work = self.waiting.get()
            if work is None:
                return
            try:
                if not work.cancelled:
                    self._work(work)
            finally:
                with self.changed:
                    del self.busy[work.task]
                    self.changed.notify_all()

    def _work(self, work):
        try:
            result, reason = self.handler(work), None
            result = "Done." if result is None or not str(result).strip() else str(result)
        except Exception as err:
            log.warning("The handler failed on %s.", work.task, exc_info=True)
            result, reason = None, str(err).strip() or "The program failed and did not say why."
        if work.cancelled:
            log.info("%s was left: it was cancelled, or the program stops.", work.task)
            return
        if reason is None:
            refused = self._finish(work, lambda key: self.client.complete(work.task, result, key))
            if refused is None:
                return
            reason = f"the hub refused the result: {refused}"
        refused = self._finish(work, lambda key: self.client.fail(work.task, reason[:LONGEST_REASON], key))
        if refused is not None:
            log.error("%s could not be ended: %s", work.task, refused)

    def _finish(self, work, end):
        """Ends a task, with a key that is the same after a restart.

        It waits for a hub that is away, and for the subtasks of the task. It returns an
        Error if the hub refuses the end itself.
        """
        pauses = _Pauses()
        while True:
            try:
                end("finish " + work.task)
                return None
            except Error as err:
                if err.kind == "unauthentic":
                    return None  # the loop hears of a revoked token itself
                if err.kind == "limited" and pauses.n >= 5:
                    return err  # some limits pass in seconds, others never
                if err.kind == "conflict":
                    if self._ended(work.task):
                        return None
                elif not err.passes:
                    return err
                else:
                    log.warning("%s could not be ended yet; trying again. %s", work.task, err)
            if work.cancelled:
                return None  # left for the next start
            pauses.next(work._ended)

    def _ended(self, task):
        try:
            return bool(self.client.task(task).get("ended"))
        except Error:
            return False

    def _settle(self):
        """Lets the handlers finish within the grace, and says what has arrived."""
        try:
            self.client.ack(cursor=self.cursor)
        except Error as err:
            log.warning("What arrived last could not be acknowledged; it will come again. %s", err)
        end = time.monotonic() + self.grace
        with self.changed:
            while self.busy and time.monotonic() < end:
                self.changed.wait(max(0.0, end - time.monotonic()))
            if self.busy:
                log.warning("Stopped before the work was done; it will be handed out again: %s", ", ".join(self.busy))

    def _beats(self):
        """Tells the hub that the program is there, while it may be too busy to poll."""
        while not self.given_up.wait(BEAT):
            if self.busy:
                self._drop_ended()

    def _drop_ended(self):
        """Cancels the work on tasks that have ended without it."""
        with self.changed:
            before = dict(self.busy)
        try:
            still = {t["id"] for t in self.client.tasks()}
        except Error:
            return  # the next beat looks again
        for task, work in before.items():
            if task not in still:
                work._ended.set()
