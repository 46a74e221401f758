"""Keeps every test away from the person's own screen, keychain, profile and network."""

from __future__ import annotations

import ipaddress
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.children import new_children
from tests.servers.fixtures import llama_server, tiny_model_file

__all__ = ["llama_server", "new_children", "tiny_model_file"]
"""Fixtures for every test: one model server for the whole run."""

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

HAS_TEST_KEYRING = os.environ.get("ANKITA_TEST_KEYRING") == "1"
"""Set by scripts/test.py, which gives the tests a keyring and a session bus of their own."""

NO_KEYRING = "keyring.backends.null.Keyring"


def refuse_other_machines(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: a test that would reach beyond this machine fails instead."""
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and not is_loopback(str(address[0])):
        raise RuntimeError(f"a test tried to reach {address[0]}; only loopback is allowed")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(refuse_other_machines)
    if not HAS_TEST_KEYRING:
        os.environ["PYTHON_KEYRING_BACKEND"] = NO_KEYRING
    profile = tempfile.mkdtemp(prefix="ankita-tests-")
    os.environ["ANKITA_HOME"] = str(Path(profile, "profile"))
    config.add_cleanup(lambda: shutil.rmtree(profile, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = {
        "keyring": None if HAS_TEST_KEYRING else "no test keyring: run scripts/test.py",
        "desktop": None if shutil.which("Xvfb") else "no Xvfb: run scripts/test.py",
    }
    for item in items:
        for marker, reason in absent.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
