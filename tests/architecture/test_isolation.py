"""The tests themselves stay away from the person's keychain, profile and network."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import keyring
import pytest


def test_no_test_reaches_another_machine() -> None:
    with socket.socket() as client, pytest.raises(RuntimeError, match="only loopback"):
        client.connect(("192.0.2.1", 80))


def test_the_profile_of_the_tests_is_a_temporary_one() -> None:
    assert Path(os.environ["ANKITA_HOME"]).is_relative_to(tempfile.gettempdir())


@pytest.mark.skipif(
    os.environ.get("ANKITA_TEST_KEYRING") == "1", reason="this run has a keyring of its own"
)
def test_the_keychain_of_the_person_is_out_of_reach() -> None:
    keyring.set_password("ankita-test", "name", "value")
    assert keyring.get_password("ankita-test", "name") is None


@pytest.mark.keyring
def test_the_keyring_of_the_tests_lies_in_their_own_folder() -> None:
    keyring.set_password("ankita-test", "name", "value")
    assert keyring.get_password("ankita-test", "name") == "value"
    keyring.delete_password("ankita-test", "name")
    data = Path(os.environ["XDG_DATA_HOME"])
    assert data.is_relative_to(tempfile.gettempdir())
    assert (data / "keyrings").is_dir()
