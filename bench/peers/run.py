"""Measures an ask within an ask by parley and by its peers, in turns, and prints a table."""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version

from scene import Slice
from worker import PEERS

HERE = pathlib.Path(__file__).resolve().parent
CALLERS = (1, 32)


class Worker:
    """The process of one peer."""

    def __init__(self, name: str, folder: pathlib.Path, program: pathlib.Path) -> None:
        folder.mkdir()
        command = [sys.executable, str(HERE / "worker.py"), name, str(folder), str(program)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.durable = str(self.hear()["durable"])

    def play(self, callers: int, seconds: float) -> Slice:
        assert self.process.stdin is not None
        print(json.dumps({"callers": callers, "seconds": seconds}), file=self.process.stdin, flush=True)
        return Slice(**self.hear())

    def hear(self) -> dict:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a peer has ended; what it said is above")
        return json.loads(line)

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Line:
    """The medians of a peer's slices with one number of callers. Times are in milliseconds."""

    peer: str
    callers: int
    asks: int
    per_second: float
    per_second_from: float
    per_second_to: float
    p50: float
    p99: float
    cpu: float
    own_cpu: float  # of it, the process with the callers
    durable: str


def line_of(peer: str, callers: int, slices: list[Slice], durable: str) -> Line:
    rates = [len(s.took) / s.elapsed for s in slices]
    return Line(
        peer, callers, sum(len(s.took) for s in slices), statistics.median(rates), min(rates), max(rates),
        p50=median_ms(percentile(s.took, 50) for s in slices),
        p99=median_ms(percentile(s.took, 99) for s in slices),
        cpu=median_ms((s.own_cpu + s.child_cpu) / len(s.took) for s in slices),
        own_cpu=median_ms(s.own_cpu / len(s.took) for s in slices),
        durable=durable,
    )


def median_ms(seconds: Iterable[float]) -> float:
    return 1000 * statistics.median(seconds)


def percentile(values: list[float], p: float) -> float:
    """The smallest value that p in a hundred do not exceed."""
    return sorted(values)[max(math.ceil(p / 100 * len(values)), 1) - 1]


def measure(names: list[str], program: pathlib.Path, data: pathlib.Path, rounds: int, seconds: float) -> list[Line]:
    workers: dict[str, Worker] = {}
    try:
        for i, name in enumerate(names):
            workers[name] = Worker(name, data / str(i), program)
        slices = in_turns(workers, rounds, seconds)
    finally:
        for worker in workers.values():
            worker.end()
    return [line_of(name, callers, slices[callers, name], workers[name].durable) for callers in CALLERS for name in names]


def in_turns(workers: dict[str, Worker], rounds: int, seconds: float) -> dict[tuple[int, str], list[Slice]]:
    slices: dict[tuple[int, str], list[Slice]] = defaultdict(list)
    for turn in range(rounds + 1):  # the first is for getting used to it
        print(f"round {turn} of {rounds}", file=sys.stderr)
        for callers in CALLERS:
            for name in random.sample(list(workers), len(workers)):
                seen = workers[name].play(callers, seconds)
                if turn > 0:
                    slices[callers, name].append(seen)
    return slices


def table(lines: list[Line]) -> str:
    rows = ["| | callers | per second (from, to) | p50 | p99 | processor time | of it, the caller's process |", "|---|---|---|---|---|---|---|"]
    rows += [
        f"| {l.peer} | {l.callers} | {l.per_second:,.0f} ({l.per_second_from:,.0f}, {l.per_second_to:,.0f}) "
        f"| {l.p50:.2f} ms | {l.p99:.2f} ms | {l.cpu:.2f} ms | {l.own_cpu:.2f} ms |"
        for l in lines
    ]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the parley to measure")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a folder on a real disk, for the databases")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each slice lasts")
    parser.add_argument("--only", default="", help="only peers with this in their names")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    names = [name for name in PEERS if args.only in name]
    with tempfile.TemporaryDirectory(prefix="peers.", dir=args.data) as data:
        lines = measure(names, args.program.resolve(), pathlib.Path(data), args.rounds, args.seconds)
    if args.json:
        print(json.dumps([vars(l) for l in lines], indent=2))
        return
    print(", ".join(f"{name} {version(name)}" for name in ("langgraph", "langgraph-checkpoint-sqlite", "openai-agents")))
    print(f"Python {sys.version.split()[0]}, medians of {args.rounds} slices of {args.seconds:g} s\n")
    print(table(lines))
    print("\nDurable when an ask is answered:")
    for name, durable in {l.peer: l.durable for l in lines}.items():
        print(f"- {name}: {durable}")


if __name__ == "__main__":
    main()
