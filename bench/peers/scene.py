"""The scene that is measured: a client asks A, A asks B, both answer at once."""

import asyncio
import time
from dataclasses import asdict, dataclass
from typing import Protocol

import psutil

QUESTION = "Please find out whether it is so, and tell me in a word."
INNER_QUESTION = "Is it so?"
ANSWER = "ok"

# A conversation that a framework keeps is shown to its model as a whole, without end. It
# begins anew after so many asks, so that on average about twenty messages are shown, as in
# parley.
ASKS_IN_A_CONVERSATION = 10


class Peer(Protocol):
    """Somebody who plays the scene. Each caller has a conversation of its own."""

    async def open(self, callers: int) -> None: ...

    async def ask(self, caller: int) -> str: ...

    async def durable(self) -> str:
        """What outlives a loss of power when an ask is answered, read from the settings in force."""
        ...

    async def close(self) -> None: ...


@dataclass
class Slice:
    """What the callers saw in one slice of time. Times are in seconds."""

    elapsed: float
    took: list[float]
    own_cpu: float  # of the process with the callers
    child_cpu: float  # of the processes that it started

    def as_json(self) -> dict[str, object]:
        return asdict(self)


async def play(peer: Peer, callers: int, seconds: float) -> Slice:
    """Lets callers repeat the scene. Each begins anew when it has its answer, at least once."""
    own, child = processor_time()
    begin = time.perf_counter()
    each = await asyncio.gather(*(repeat(peer, caller, begin + seconds) for caller in range(callers)))
    elapsed = time.perf_counter() - begin
    own_after, child_after = processor_time()
    return Slice(elapsed, [t for took in each for t in took], own_after - own, child_after - child)


async def repeat(peer: Peer, caller: int, until: float) -> list[float]:
    took: list[float] = []
    begun = time.perf_counter()
    while not took or begun < until:
        answer = await peer.ask(caller)
        if answer != ANSWER:
            raise RuntimeError(f"the answer was {answer!r}")
        now = time.perf_counter()
        took.append(now - begun)
        begun = now
    return took


def processor_time() -> tuple[float, float]:
    """Time on processors so far, of this process and of those that it started."""
    me = psutil.Process()
    return spent(me), sum(spent(child) for child in me.children(recursive=True))


def spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system
