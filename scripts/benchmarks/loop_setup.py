"""Fetches what the loop is compared with into a cache folder, in pinned versions, and starts it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measures import CannotMeasureError

MOCK = "@copilotkit/aimock@1.43.0"
PEERS = (
    "httpx==0.28.1",
    "openai==3.57.0",
    "openai-agents==0.24.0",
    "pydantic-ai-slim[openai]==2.68.0",
)
STEPS = 21
"""Requests of one loop: 20 replies with a call, and the last one in words."""

READS, CHANGES = "loop", "save"
"""What the user says to get calls that read, or calls that write files."""

START_SECONDS = 30.0


def mock_server(cache: Path) -> Path:
    """The program of the mock model server, fetched when it is not there yet."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise CannotMeasureError("Node.js with npm, which the mock model server runs on")
    folder = cache / _folder_name(MOCK)
    program = folder / "node_modules" / ".bin" / ("llmock.cmd" if os.name == "nt" else "llmock")
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _fetch([npm, "install", "--prefix", str(folder), "--no-fund", "--no-audit", MOCK])
    return program


def peers_python(cache: Path) -> Path:
    """The Python of the environment with the peers, made when it is not there yet."""
    folder = cache / f"peers-{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    complete = folder / "complete.json"
    if not complete.exists() or json.loads(complete.read_text("utf-8")) != list(PEERS):
        _fetch([sys.executable, "-m", "venv", "--clear", str(folder)])
        _fetch([str(python), "-m", "pip", "install", "--quiet", *PEERS])
        complete.write_text(json.dumps(PEERS), encoding="utf-8")
    return python


@contextmanager
def serving(program: Path, folder: Path) -> Iterator[str]:
    """The mock server's base URL for as long as the block lasts; its files go to `folder`."""
    replies = folder / "replies.json"
    replies.write_text(json.dumps({"fixtures": _replies()}), encoding="utf-8")
    port = _free_port()
    command = [str(program), "-p", str(port), "-f", str(replies)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(10)


def _replies() -> list[dict[str, Any]]:
    made = []
    for said in (READS, CHANGES):
        for turn in range(STEPS - 1):
            match = {"userMessage": said, "turnIndex": turn}
            made.append({"match": match, "response": {"toolCalls": [_call(said, turn)]}})
        match = {"userMessage": said, "turnIndex": STEPS - 1}
        made.append({"match": match, "response": {"content": "All done."}})
    return made


def _call(said: str, turn: int) -> dict[str, str]:
    # Another folder or file in each step: the same call again and again would be a circle.
    if said == READS:
        return {"name": "list_folder", "arguments": json.dumps({"path": f"folder-{turn}"})}
    arguments = {"path": f"file-{turn}.txt", "content": f"This is file {turn}.\n"}
    return {"name": "write_file", "arguments": json.dumps(arguments)}


def _fetch(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise CannotMeasureError(f"what {Path(command[0]).name} could not fetch: {''.join(said)}")


def _folder_name(package: str) -> str:
    return package.strip("@").replace("/", "-").replace("@", "-")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise CannotMeasureError("a mock model server that starts")
