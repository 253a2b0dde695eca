"""parley: a hub in a process of its own, with its database on the disk. A client asks over HTTP."""

import asyncio
import json
import pathlib
import sqlite3
import subprocess

from scene import ANSWER, INNER_QUESTION, QUESTION

SETTINGS = """\
model: scripted:script.yaml
limits: {rate: 100000}
door: {requests: 1000000}
"""


class ParleyPeer:
    """Each caller has a client agent and two native ones of its own."""

    def __init__(self, folder: pathlib.Path, program: pathlib.Path) -> None:
        self.folder = folder / "team"
        self.program = program
        self.clients: list[Client] = []

    async def open(self, callers: int) -> None:
        write_team(self.folder, callers)
        self.log = (self.folder.parent / "hub.log").open("wb")
        self.hub = subprocess.Popen(
            [self.program, "up", self.folder, "--listen", "127.0.0.1:0", "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
        )
        assert self.hub.stdout is not None
        host, _, port = json.loads(self.hub.stdout.readline())["url"].removeprefix("http://").rpartition(":")
        tokens = [self.token(caller) for caller in range(callers)]
        self.clients = [Client(host, int(port), token, f"first-{i:02}") for i, token in enumerate(tokens)]

    def token(self, caller: int) -> str:
        command = [self.program, "--dir", self.folder, "token", "create", f"client-{caller:02}", "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["token"]

    async def ask(self, caller: int) -> str:
        return await self.clients[caller].ask()

    async def durable(self) -> str:
        database = sqlite3.connect(self.folder / ".parley" / "parley.db")
        journal = database.execute("PRAGMA journal_mode").fetchone()[0]
        database.close()
        # How a connection synchronizes only that connection can say; the hub's are FULL by its source.
        return f"every message, task, turn and event; journal_mode={journal}, synchronous=2"

    async def close(self) -> None:
        for client in self.clients:
            client.close()
        self.hub.terminate()
        self.hub.wait()
        self.log.close()


def write_team(folder: pathlib.Path, callers: int) -> None:
    agents = folder / "agents"
    agents.mkdir(parents=True)
    (folder / "parley.yaml").write_text(SETTINGS)
    script: dict[str, object] = {"*": [{"steps": [{"say": ANSWER}]}]}
    for i in range(callers):
        (agents / f"client-{i:02}.md").write_text("---\nkind: client\n---\n")
        for name in (f"first-{i:02}", f"second-{i:02}"):
            (agents / f"{name}.md").write_text(f"---\nname: {name}\n---\nAnswer briefly.\n")
        ask = {"action": "ask", "agentId": f"second-{i:02}", "message": INNER_QUESTION}
        script[f"first-{i:02}"] = [{"steps": [{"call": "contact_agent", "args": ask}, {"say": ANSWER}]}]
    (folder / "script.yaml").write_text(json.dumps({"agents": script}))  # JSON is YAML


class Client:
    """A connection that asks the same again and again. It reads no more of HTTP than the hub writes."""

    def __init__(self, host: str, port: int, token: str, agent: str) -> None:
        self.host, self.port = host, port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None
        body = json.dumps({"action": "ask", "agent": agent, "message": QUESTION, "wait": 60})
        self.request = (
            f"POST /v1/contacts HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    async def ask(self) -> str:
        if self.reader is None or self.writer is None or self.reader.at_eof():  # the hub closes idle ones
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(self.request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        body = await self.reader.readexactly(int(head.partition("content-length:")[2].partition("\r\n")[0]))
        if not head.startswith("http/1.1 200"):
            raise RuntimeError(body.decode())
        return json.loads(body)["task"]["result"]

    def close(self) -> None:
        if self.writer:
            self.writer.close()
