"""scripts/run.py: one command from a bare checkout to the running app."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.small_checkout import SCRIPTS, SmallCheckout

SETTING_UP = "Setting up"


@pytest.fixture
def checkout(tmp_path: Path) -> SmallCheckout:
    return SmallCheckout(tmp_path)


def test_the_first_start_sets_up_the_next_only_start_until_a_pin_changes(
    checkout: SmallCheckout,
) -> None:
    first = checkout.run("--version")
    assert (first.returncode, first.stdout) == (0, "started 1 ['--version']\n"), first.stderr
    assert SETTING_UP in first.stderr
    stamp = checkout.stamp.stat().st_mtime_ns

    second = checkout.run("--version")
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")
    assert checkout.stamp.stat().st_mtime_ns == stamp

    if sys.platform.startswith("linux"):
        blind = checkout.run()
        assert blind.stdout == "started 1 ['chat']\n"
        assert "no display" in blind.stderr
    assert checkout.run(display=":77").stdout == "started 1 []\n"

    checkout.pin("2")
    renewed = checkout.run("x")
    assert renewed.stdout == "started 2 ['x']\n"
    assert SETTING_UP in renewed.stderr


def test_a_file_with_another_hash_is_refused_and_nothing_starts(checkout: SmallCheckout) -> None:
    checkout.pin("2", digest="0" * 64)
    found = checkout.run()
    assert found.returncode == 1
    assert found.stdout == ""
    assert "pip install did not succeed" in found.stderr
    assert not checkout.stamp.exists()


def test_an_interrupted_set_up_is_done_again(checkout: SmallCheckout) -> None:
    killed = checkout.start("x")
    with killed:
        assert killed.stderr is not None
        assert SETTING_UP in killed.stderr.readline()
        while not (checkout.venv / "pyvenv.cfg").exists():
            assert killed.poll() is None
        killed.kill()
    assert not checkout.stamp.exists()
    checkout.stamp.write_text("{not json")

    found = checkout.run("x")
    assert found.stdout == "started 1 ['x']\n", found.stderr


def test_two_starts_at_once_make_one_set_up(checkout: SmallCheckout) -> None:
    with checkout.start("a") as one, checkout.start("b") as two:
        said = [process.communicate(timeout=120) for process in (one, two)]
    assert [out for out, _ in said] == ["started 1 ['a']\n", "started 1 ['b']\n"]
    assert sum(errors.count(SETTING_UP) for _, errors in said) == 1


@pytest.mark.parametrize("name", ["run.py", "test.py"])
def test_an_older_python_gets_a_plain_sentence(name: str) -> None:
    source = (SCRIPTS / name).read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 7))
    imported_first = [
        alias.name
        for node in tree.body[: tree.body.index(version_check(tree))]
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    assert set(imported_first) <= {"os", "sys"}
    old = f"import sys; sys.version_info = (3, 9); sys.argv = [{name!r}]; exec(open(0).read())"
    found = subprocess.run(
        [sys.executable, "-c", old], input=source, capture_output=True, text=True
    )
    assert found.returncode == 1
    assert "Python 3.11 or later; this is Python 3.9" in found.stderr


def version_check(tree: ast.Module) -> ast.stmt:
    return next(node for node in tree.body if isinstance(node, ast.If))
