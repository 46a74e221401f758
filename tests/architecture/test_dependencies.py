"""What the package imports is what pyproject.toml asks for, and the pins hold all of it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from typing import Any

from tests.architecture.tracked_files import ROOT, product_modules

NAME = re.compile(r"[A-Za-z0-9._-]+")
ONLY_ON_WINDOWS = {"winreg", "msvcrt", "_winapi", "winsound"}
PARTS_OF_OTHERS = {"pydantic_core"}
"""Pinned to one version, and given to callers, by a package that is declared."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    return _names(_project()["dependencies"])


def extras() -> set[str]:
    """What is only installed on request; pinned where the tests need it."""
    return {
        name for lines in _project()["optional-dependencies"].values() for name in _names(lines)
    }


def _project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def _names(lines: Iterable[str]) -> set[str]:
    return {normal(NAME.match(line).group()) for line in lines}


def imported() -> dict[str, str]:
    """The outside packages that the product imports, each with one file that does."""
    found = {}
    for path, source in product_modules():
        for node in ast.walk(ast.parse(source)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                found[name.partition(".")[0]] = path
    inside = {"ankita", *sys.stdlib_module_names, *ONLY_ON_WINDOWS, *PARTS_OF_OTHERS}
    return {name: path for name, path in found.items() if name not in inside}


def test_every_import_is_a_declared_dependency() -> None:
    owners = packages_distributions()
    allowed = declared() | extras()
    undeclared = {
        name: path
        for name, path in imported().items()
        if not allowed & {normal(owner) for owner in owners.get(name, [name])}
    }
    assert not undeclared


def test_every_declared_dependency_is_used() -> None:
    owners = packages_distributions()
    used = {normal(owner) for name in imported() for owner in owners.get(name, [name])}
    assert not (declared() | extras()) - used


def test_every_declared_dependency_is_pinned() -> None:
    pins = (ROOT / "scripts" / "constraints.txt").read_text(encoding="utf-8")
    run_section = pins.partition("# --- test")[0]
    pinned = {normal(name) for name in re.findall(r"^([\w.-]+)==", run_section, re.MULTILINE)}
    assert declared() <= pinned
