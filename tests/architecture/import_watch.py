"""Run as a program: imports every module of the package and reports what that started.

Prints one line for each event, `module: event detail`, and nothing when all is quiet.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import threading

STARTS = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.mkdir",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.spawn",
    "os.startfile",
    "os.system",
    "os.truncate",
    "shutil.",
    "socket.",
    "sqlite3.connect",
    "subprocess.Popen",
    "tempfile.",
    "webbrowser.open",
    "winreg.CreateKey",
    "winreg.SetValue",
)
WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

current = ""
seen: list[str] = []


def watch(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith(STARTS) or (event == "open" and is_writing(arguments)):
        seen.append(f"{current}: {event} {arguments!r}")


def watch_threads() -> None:
    """Not every Python reports a started thread to an audit hook."""
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        seen.append(f"{current}: a thread starts, {thread.name}")
        start(thread)

    threading.Thread.start = noted


def is_writing(arguments: tuple[object, ...]) -> bool:
    _path, mode, flags = arguments
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return isinstance(flags, int) and bool(flags & WRITING_FLAGS)


def module_names() -> list[str]:
    import ankita

    found = pkgutil.walk_packages(ankita.__path__, "ankita.", onerror=raise_it)
    return ["ankita", *(module.name for module in found)]


def raise_it(_name: str) -> None:
    raise


def application_exists() -> bool:
    core = sys.modules.get("PySide6.QtCore")
    return core is not None and core.QCoreApplication.instance() is not None


def main() -> None:
    global current
    sys.dont_write_bytecode = True
    sys.addaudithook(watch)
    watch_threads()
    count = 0
    current = "(all packages)"
    for name in module_names():
        current = name
        importlib.import_module(name)
        count += 1
        if application_exists():
            seen.append(f"{name}: a Qt application exists")
    for line in dict.fromkeys(seen):
        print(line)
    print(f"{count} modules", file=sys.stderr)


if __name__ == "__main__":
    main()
