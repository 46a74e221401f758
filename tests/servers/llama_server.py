"""llama.cpp's own HTTP server in a child process.

Run as a script it loads a model file, prints one JSON line with its address and
serves until its standard input ends, so that it never outlives the test run.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

START_SECONDS = 60.0
MODEL_NAME = "tiny"


@dataclass(slots=True)
class LlamaServer:
    """A running server. `base_url` ends in `/v1`; `api_key` is empty when it wants none."""

    base_url: str
    model: str
    api_key: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it, kindly if possible. May be called twice."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def start_llama_server(
    model_file: Path, *, api_key: str = "", context_tokens: int = 16_384
) -> LlamaServer:
    """Start a server on a free port of 127.0.0.1 and wait until it answers there."""
    command = [sys.executable, str(Path(__file__).resolve()), str(model_file)]
    command += ["--context", str(context_tokens)]
    environment = {**os.environ, "ANKITA_TEST_MODEL_KEY": api_key}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    server = LlamaServer("", MODEL_NAME, api_key, process)
    assert process.stdout is not None
    line = _line_within(process.stdout, START_SECONDS)
    if not line.startswith("{"):
        server.stop()
        raise RuntimeError(f"the llama.cpp server did not start (exit code {process.poll()})")
    server.base_url = json.loads(line)["url"] + "/v1"
    return server


def _line_within(pipe: IO[str], seconds: float) -> str:
    """The first line of the pipe that is a JSON object, or "" when none comes in time."""
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        lines.put(next((line for line in pipe if line.startswith("{")), ""))

    threading.Thread(target=read, daemon=True).start()
    try:
        return lines.get(timeout=seconds)
    except queue.Empty:
        return ""


def serve(model_file: str, *, context_tokens: int, api_key: str) -> None:
    """Serve until standard input ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model_file
    parameters.model_alias = {MODEL_NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.cache_ram_mib = 0
    parameters.offline = True
    parameters.ui = False
    parameters.warmup = False
    if api_key:
        parameters.api_keys = [api_key]
    server = xllamacpp.Server(parameters)
    print(json.dumps({"url": server.listening_address, "pid": os.getpid()}), flush=True)
    sys.stdin.read()
    os._exit(0)  # a reply in progress must not keep the process alive


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a GGUF file on loopback.")
    parser.add_argument("model_file")
    parser.add_argument("--context", type=int, default=16_384)
    arguments = parser.parse_args()
    serve(
        arguments.model_file,
        context_tokens=arguments.context,
        api_key=os.environ.get("ANKITA_TEST_MODEL_KEY", ""),
    )


if __name__ == "__main__":
    main()
