"""Durable files with real processes: killed writers, two writers, a full disk."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ankita.durable import DurableFiles

FILE = Path("state.json")
ROUNDS = 50
TIMEOUT_SECONDS = 60

ENDLESS_WRITER = """
import sys
from pathlib import Path
from ankita.durable import DurableFiles

files = DurableFiles(Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    number += 1
    files.write_json(Path("state.json"), {"version": 1, "number": number, "fill": "x" * 200_000})
    print(number, flush=True)
"""

COUNTER = """
import sys
from pathlib import Path
from ankita.durable import DurableFiles

files = DurableFiles(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    files.update_bytes(Path("count"), lambda old: b"%d" % (int(old or b"0") + 1))
"""

FULL_DISK = """
import sys
from pathlib import Path
from ankita.durable import DurableFiles
from ankita.errors import DiskFullError

files = DurableFiles(Path(sys.argv[1]))
files.write_bytes(Path("state"), b"old" * 100_000)
try:
    files.write_bytes(Path("state"), b"new" * 300_000)
except DiskFullError as error:
    print("refused:", error)
assert files.read_bytes(Path("state")) == b"old" * 100_000
files.write_bytes(Path("state"), b"small")
assert files.read_bytes(Path("state")) == b"small"
assert [e.name for e in Path(sys.argv[1]).iterdir() if e.name.endswith(".tmp")] == []
"""


@pytest.mark.spec("SEC-9")
def test_a_writer_killed_at_any_moment_leaves_a_whole_file_and_no_acknowledged_write_is_lost(
    tmp_path: Path,
) -> None:
    files = DurableFiles(tmp_path)
    number = 0
    for kill_after in range(ROUNDS):
        writer = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_WRITER, str(tmp_path), str(number)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        acknowledged = number
        for _ in range(1 + kill_after % 3):
            acknowledged = int(writer.stdout.readline())
        writer.kill()
        acknowledged = int((writer.stdout.read().split() or [acknowledged])[-1])
        writer.wait(TIMEOUT_SECONDS)
        writer.stdout.close()
        document = files.read_json(FILE, 1)
        assert document is not None
        assert document["fill"] == "x" * 200_000
        assert document["number"] in (acknowledged, acknowledged + 1)
        number = document["number"]


@pytest.mark.spec("SEC-9")
def test_processes_and_threads_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    each = 40
    command = [sys.executable, "-c", COUNTER, str(tmp_path), str(each)]
    processes = [subprocess.Popen(command) for _ in range(2)]
    files = DurableFiles(tmp_path)

    def count() -> None:
        for _ in range(each):
            files.update_bytes(Path("count"), lambda old: b"%d" % (int(old or b"0") + 1))

    threads = [threading.Thread(target=count) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(TIMEOUT_SECONDS) for process in processes] == [0, 0]
    assert files.read_bytes(Path("count")) == b"%d" % (4 * each)


def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


@pytest.mark.spec("SEC-9")
def test_a_disk_that_really_is_full_keeps_the_old_content(tmp_path: Path) -> None:
    if not _can_mount():
        pytest.skip("this system lets nobody mount a small disk (the injected fault still ran)")
    mount = 'mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@"'
    program = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(
        [*("unshare", "-rm", "sh", "-c", mount, "sh", str(tmp_path)), *program],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "refused: There is no space left to save state.\n"
