"""Sets up Ankita where needed and starts it. All that it needs is Python 3.11 or later."""

import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is exactly what this is about
    sys.exit(
        "Ankita needs Python 3.11 or later; this is Python %d.%d. "  # noqa: UP031
        "Start it with a newer one, for instance: python3.12 scripts/run.py" % sys.version_info[:2]
    )

import setup_steps
from system_packages import Level, SetupError


def arguments_for(given: list[str], *, has_display: bool) -> list[str]:
    """What to pass to the app: the window needs a display, the terminal does not."""
    if given or has_display:
        return given
    print("There is no display here, so Ankita starts in the terminal.", file=sys.stderr)
    return ["chat"]


def has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def start(command: list[str]) -> int:
    """Become the app; on Windows, where that is not possible, wait for it."""
    if os.name != "nt":
        os.execv(command[0], command)
    import subprocess

    return subprocess.call(command)


def main() -> int:
    try:
        python = setup_steps.prepare(Level.RUN)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    arguments = arguments_for(sys.argv[1:], has_display=has_display())
    return start([str(python), "-m", "ankita", *arguments])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
