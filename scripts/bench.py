"""Takes the figures of docs/benchmarks.md, and leaves with 1 when one is over its limit.

Run it with the Python that has Ankita: `python scripts/bench.py [PART ...] [--runs N] [--json]`.
Without a part it runs them all, one after another. It leaves with 2 when a part that was
named can't be measured here. The part "loop" fetches the mock server and the frameworks it
is compared with into a folder of the user's cache; nothing else fetches anything.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Some parts use the servers and the long thread that the tests use.
sys.path.insert(0, str(ROOT))

from benchmarks.measures import CannotMeasureError, Part, as_json, machine, shown  # noqa: E402

RUNS = {"start": 7, "loop": 15, "long_thread": 9, "discovery": 7, "stop": 7}
"""The parts, each a module of `benchmarks`, and how many runs each makes."""


def cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("ankita-bench")


def measured(part: str, runs: int, cache: Path) -> Part:
    """Raises CannotMeasureError, which says what is missing."""
    module = importlib.import_module(f"benchmarks.{part}")
    measure: Callable[..., Part] = module.measure
    return measure(runs, cache) if part == "loop" else measure(runs)


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(RUNS)}")
    parser.add_argument("--runs", type=int, help="runs of each part, instead of its own number")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--cache", type=Path, help="where the loop's peers are kept")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in RUNS]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(RUNS)}")
    if options.runs is not None and options.runs < 1:
        parser.error("--runs must be 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 when one is over its limit, 2 when a named part can't be measured."""
    options = options_of(arguments)
    cache = options.cache or cache_folder()
    parts: list[Part] = []
    is_missing = False
    for name in options.parts or RUNS:
        try:
            part = measured(name, options.runs or RUNS[name], cache)
        except CannotMeasureError as error:
            is_missing = True
            print(f"bench: {name} was not measured: this machine lacks {error}", file=sys.stderr)
            continue
        parts.append(part)
        if not options.json:
            print(shown(part), end="\n\n", flush=True)
    print(json.dumps(as_json(parts)) if options.json else machine())
    return verdict(parts, is_incomplete=is_missing and bool(options.parts or not parts))


def verdict(parts: list[Part], *, is_incomplete: bool) -> int:
    """The exit code; what is over its limit is said on standard error."""
    over = [measure for part in parts for measure in part.over]
    for measure in over:
        print(f"bench: over the limit: {measure.what}", file=sys.stderr)
    if over:
        return 1
    return 2 if is_incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
