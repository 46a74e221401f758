"""Chooses every version anew and writes scripts/constraints.txt."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import setup_steps

LOWEST_PYTHON = "3.11"
HEADER = (
    "# Every version the project is built, run and tested with. "
    "To refresh: pip install uv && python scripts/pin.py\n"
)


def resolve(groups: list[str], fixed: str) -> str:
    """Pins with hashes for the project and the named dependency groups.

    Lines in `fixed` keep their versions.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "kept.txt")
        kept.write_text(fixed, encoding="utf-8")
        command = ["uv", "pip", "compile", "pyproject.toml", "--quiet", "--constraint", str(kept)]
        command += [part for name in groups for part in ("--group", name)]
        command += ["--universal", "--python-version", LOWEST_PYTHON, "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
        found = subprocess.run(
            command, cwd=setup_steps.ROOT, check=True, stdout=subprocess.PIPE, text=True
        )
    return found.stdout


def pins(text: str) -> list[str]:
    """The pins of a requirements file, each with the lines of its hashes."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith((" ", "\t")):
            found[-1] += line
        elif line.strip():
            found.append(line)
    return found


def version_of(pin: str) -> str:
    """The part that says what is installed: "anyio==4.16.0"."""
    return pin.split()[0]


def main() -> None:
    run = pins(resolve(["build"], fixed=""))
    everything = pins(resolve(["build", "test"], fixed="".join(run)))
    # Compared by version alone: the same one may be wanted for more systems by the tests.
    chosen = {version_of(pin) for pin in run}
    lost = chosen - {version_of(pin) for pin in everything}
    if lost:
        sys.exit("The tests need other versions than the app: " + ", ".join(sorted(lost)))
    test = [pin for pin in everything if version_of(pin) not in chosen]
    setup_steps.CONSTRAINTS.write_text(
        HEADER
        + f"\n{setup_steps.RUN_SECTION}\n"
        + "".join(run)
        + f"\n{setup_steps.TEST_SECTION}\n"
        + "".join(test),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
