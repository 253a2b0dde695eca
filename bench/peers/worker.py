"""The process of one peer: plays a slice for each line of JSON that it reads, and writes what was seen."""

import asyncio
import json
import pathlib
import sys
from collections.abc import Callable

from scene import Peer, play

MOST_CALLERS = 32


def langgraph(folder: pathlib.Path, stored: bool) -> Peer:
    from langgraph_peer import LangGraphPeer

    return LangGraphPeer(folder, stored)


def agents(folder: pathlib.Path, stored: bool) -> Peer:
    from agents_peer import AgentsPeer

    return AgentsPeer(folder, stored)


def parley(folder: pathlib.Path, program: str) -> Peer:
    from parley_peer import ParleyPeer

    return ParleyPeer(folder, pathlib.Path(program))


# By name, from a folder for its data and the program of parley.
PEERS: dict[str, Callable[[pathlib.Path, str], Peer]] = {
    "parley, HTTP": parley,
    "LangGraph, SQLite": lambda folder, _: langgraph(folder, stored=True),
    "Agents SDK, SQLite": lambda folder, _: agents(folder, stored=True),
    "LangGraph, in memory": lambda folder, _: langgraph(folder, stored=False),
    "Agents SDK, in memory": lambda folder, _: agents(folder, stored=False),
}


async def work(peer: Peer) -> None:
    await peer.open(MOST_CALLERS)
    try:
        answer({"durable": await peer.durable()})
        while line := await asyncio.to_thread(sys.stdin.readline):
            order = json.loads(line)
            answer((await play(peer, order["callers"], order["seconds"])).as_json())
    finally:
        await peer.close()


def answer(what: dict[str, object]) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    name, folder, program = sys.argv[1:]
    asyncio.run(work(PEERS[name](pathlib.Path(folder), program)))
