"""The spec and the tests speak of the same lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import spec_coverage


def test_every_id_in_a_test_stands_in_the_spec() -> None:
    promised = set(spec_coverage.spec_ids(spec_coverage.SPEC.read_text(encoding="utf-8")))
    assert promised
    assert set(spec_coverage.claims(spec_coverage.TESTS)) <= promised


def test_ids_are_read_from_the_lines_that_begin_with_one() -> None:
    text = "# Title\n- UI-1 Style.\n- LED-12 ★ More, see LED-3.\nText - ABC-1 no.\n- not one\n"
    assert spec_coverage.spec_ids(text) == ["UI-1", "LED-12"]


def test_claims_are_found_wherever_the_mark_stands() -> None:
    source = """
import pytest
pytestmark = pytest.mark.spec("AAA-1")
@pytest.mark.spec("AAA-2", "AAA-3")
def test_one(): ...
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.spec("AAA-4"))])
def test_two(x): "AAA-9"
"""
    found = list(spec_coverage.claimed_ids(source))
    assert sorted(found) == ["AAA-1", "AAA-2", "AAA-3", "AAA-4"]


def test_an_id_that_is_computed_is_refused() -> None:
    with pytest.raises(ValueError, match="plain string"):
        list(spec_coverage.claimed_ids("@pytest.mark.spec(ID)\ndef test_x(): ..."))


def test_claims_name_the_files(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text('@pytest.mark.spec("AAA-1")\ndef test_x(): ...')
    (tmp_path / "other.py").write_text('@pytest.mark.spec("AAA-2")\ndef test_x(): ...')
    assert spec_coverage.claims(tmp_path) == {"AAA-1": {"test_a.py"}}
