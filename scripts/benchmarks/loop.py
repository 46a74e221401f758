"""One step of the tool loop: Ankita beside raw httpx and two frameworks on the same mock server."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.loop_setup import (
    CHANGES,
    READS,
    STEPS,
    mock_server,
    peers_python,
    serving,
)
from benchmarks.measures import Measure, Part

FOLDER = Path(__file__).parent
MOST_MILLISECONDS = 5.0
"""For a step that reads, with everything on that a step needs."""

UNCOUNTED = 6
"""First rounds: connections are opened, a person lets files be written, all gets warm."""

OURS, OURS_CHANGING = "Ankita, a call that reads", "Ankita, a call that writes a file"
RAW, FRAMEWORK, OTHER = "raw httpx", "pydantic-ai", "openai-agents"


class Contender:
    """A process that runs one loop for each line it is given."""

    def __init__(self, process: subprocess.Popen[str], name: str) -> None:
        self._process = process
        self._name = name

    def step(self) -> float:
        """Milliseconds a step over one loop."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("run\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline() or "{}")
        if told.get("calls") != STEPS - 1:
            raise SystemExit(f"bench: {self._name} made {told.get('calls')} of {STEPS - 1} calls")
        return float(told["ms"]) / STEPS


def measure(runs: int, cache: Path) -> Part:
    """Medians of `runs` loops of each, taken in turn. Raises CannotMeasureError."""
    program, python = mock_server(cache), peers_python(cache)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ankita-loop-")))
        base_url = stack.enter_context(serving(program, folder))
        contenders = {
            name: stack.enter_context(_running(name, command))
            for name, command in _commands(python, base_url, folder).items()
        }
        return part_of(_in_turn(contenders, runs))


def part_of(steps: Mapping[str, Sequence[float]]) -> Part:
    """The figures from the milliseconds a step of every loop."""
    medians = {name: statistics.median(taken) for name, taken in steps.items()}
    measures = [
        Measure(
            f"{name}, ms a step",
            medians[name],
            "ms",
            MOST_MILLISECONDS if name == OURS else None,
            max(taken),
        )
        for name, taken in steps.items()
    ]
    for peer in (RAW, FRAMEWORK, OTHER):
        measures.append(Measure(f"{OURS}, against {peer}", medians[OURS] / medians[peer], "times"))
    return Part("A step of the tool loop", tuple(measures))


def _commands(python: Path, base_url: str, folder: Path) -> dict[str, list[str]]:
    ours = [sys.executable, str(FOLDER / "loop_ankita.py"), base_url]
    peers = {
        RAW: "raw_httpx.py",
        FRAMEWORK: "pydantic_ai_loop.py",
        OTHER: "openai_agents_loop.py",
    }
    return {
        OURS: [*ours, READS, str(folder / "reads")],
        OURS_CHANGING: [*ours, CHANGES, str(folder / "changes")],
        **{
            name: [str(python), str(FOLDER / "peers" / file), base_url]
            for name, file in peers.items()
        },
    }


@contextmanager
def _running(name: str, command: list[str]) -> Iterator[Contender]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        yield Contender(process, name)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)


def _in_turn(contenders: Mapping[str, Contender], runs: int) -> dict[str, list[float]]:
    """One loop of each, again and again, so that a busy moment hits all."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(UNCOUNTED + runs):
        for name, contender in contenders.items():
            step = contender.step()
            if number >= UNCOUNTED:
                taken[name].append(step)
    return taken
