"""Compares the lines of docs/spec.md with the ids that tests say they prove."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "docs" / "spec.md"
TESTS = ROOT / "tests"
SPEC_LINE = re.compile(r"^- ([A-Z]{2,4}-\d+)\b", re.MULTILINE)


def spec_ids(text: str) -> list[str]:
    """The ids of the lines of a spec, in order."""
    return SPEC_LINE.findall(text)


def claimed_ids(source: str) -> Iterator[str]:
    """The ids inside `pytest.mark.spec(...)` of one test file.

    Raises ValueError for a mark whose ids are not plain strings.
    """
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.spec")):
            continue
        for argument in node.args:
            if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                raise ValueError(f"line {node.lineno}: an id must be a plain string")
            yield argument.value


def claims(folder: Path) -> dict[str, set[str]]:
    """Each id that a test claims, with the files that claim it."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for claimed in claimed_ids(path.read_text(encoding="utf-8")):
            found.setdefault(claimed, set()).add(path.relative_to(folder).as_posix())
    return found


def main() -> int:
    if not SPEC.exists():
        print("docs/spec.md is not there.")
        return 1
    promised = spec_ids(SPEC.read_text(encoding="utf-8"))
    claimed = claims(TESTS)
    unproved = [line for line in promised if line not in claimed]
    unknown = sorted(set(claimed) - set(promised))
    for line in unproved:
        print(f"{line}: no test proves it")
    for line in unknown:
        print(f"{line}: not in docs/spec.md, claimed by {', '.join(sorted(claimed[line]))}")
    doubled = sorted({line for line in promised if promised.count(line) > 1})
    for line in doubled:
        print(f"{line}: stands twice in docs/spec.md")
    print(f"{len(promised) - len(unproved)} of {len(promised)} lines of the spec have a test.")
    return 1 if unproved or unknown or doubled else 0


if __name__ == "__main__":
    sys.exit(main())
