"""Doors of which there is one: to providers, and into an event loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.tracked_files import product_modules

THE_GATE = "engine/gate.py"
PROVIDERS_THEMSELVES = "integrations/"
PROVIDER_METHODS = {"call", "stream"}

THE_EVENT_LOOP = "ui/event_loop.py"
NESTED_LOOPS = {"QEventLoop", "asyncSlot", "asyncClose"}
NESTED_LOOP_METHODS = {"exec", "exec_", "processEvents"} | NESTED_LOOPS


def name_of(node: ast.expr) -> str:
    """The last name of an expression: `gate` for `self.gate`, empty when it has none."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def provider_calls(source: str) -> Iterator[int]:
    """Lines that call `.call(` or `.stream(` on anything that is not the gate."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in PROVIDER_METHODS and name_of(node.func.value).strip("_") != "gate":
            yield node.lineno


def nested_loops(source: str) -> Iterator[int]:
    """Lines that name something which runs an event loop inside another."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            names = NESTED_LOOP_METHODS
        elif isinstance(node, ast.Name):
            names = NESTED_LOOPS
        else:
            continue
        if name_of(node) in names:
            yield node.lineno


def test_only_the_gate_calls_providers() -> None:
    found = [
        f"{path}:{line}"
        for path, source in product_modules()
        if path != THE_GATE and not path.startswith(PROVIDERS_THEMSELVES)
        for line in provider_calls(source)
    ]
    assert not found


def test_no_event_loop_is_started_inside_another() -> None:
    found = [
        f"{path}:{line}"
        for path, source in product_modules()
        if path != THE_EVENT_LOOP
        for line in nested_loops(source)
    ]
    assert not found


@pytest.mark.parametrize(
    "line",
    ["provider.call(1)", "self._model.stream(request)", "tools[0].call()", "make().stream(r)"],
)
def test_a_call_past_the_gate_is_seen(line: str) -> None:
    assert list(provider_calls(line)) == [1]


@pytest.mark.parametrize("line", ["gate.call(1)", "self._gate.stream(r)", "stream(r)"])
def test_a_call_through_the_gate_is_free(line: str) -> None:
    assert not list(provider_calls(line))


@pytest.mark.parametrize(
    "line",
    ["dialog.exec()", "QApplication.processEvents()", "QEventLoop()", "qasync.asyncSlot"],
)
def test_a_nested_loop_is_seen(line: str) -> None:
    assert list(nested_loops(line)) == [1]
