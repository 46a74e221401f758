"""What the benchmark makes of its figures: limits, tables and how it leaves."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.tracked_files import ROOT

pytestmark = pytest.mark.spec("ENG-1")

Load = Callable[[str], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Imports a module as the script itself does."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module


def test_a_step_over_its_limit_is_over_and_a_peer_has_none(load: Load) -> None:
    loop = load("benchmarks.loop")
    taken = {name: [6.0, 4.0, 5.5] for name in (loop.OURS, loop.OURS_CHANGING, *_peers(loop))}
    part = loop.part_of(taken)
    assert [measure.what for measure in part.over] == [f"{loop.OURS}, ms a step"]
    assert part.over[0].value == 5.5
    assert part.over[0].worst == 6.0
    assert not loop.part_of(taken | {loop.OURS: [4.9]}).over


def _peers(loop: ModuleType) -> tuple[str, ...]:
    return (loop.RAW, loop.FRAMEWORK, loop.OTHER)


def test_half_of_the_other_app_is_the_limit_of_start_and_memory(load: Load) -> None:
    start, run = load("benchmarks.start"), load("benchmarks.start_run")
    theirs = [run.Run(600.0, None, 340.0, 8, 0.4)]
    good = start.part_of([run.Run(290.0, 200.0, 100.0, 1, 0.2)], theirs, [20.0])
    assert not good.over
    slow = start.part_of([run.Run(310.0, None, 180.0, 1, 0.2)], theirs, [101.0])
    assert [measure.what for measure in slow.over] == [
        "first frame, ratio",
        "memory, ratio",
        "from the first frame until usable",
        "`ankita --version`",
    ]


def test_a_figure_over_its_limit_leaves_with_1(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench, measures = load("bench"), load("benchmarks.measures")

    def measured(name: str, _runs: int, _cache: Path) -> object:
        return measures.Part(name, (measures.Measure("a thing", 12.0, "ms", 10.0, 15.0),))

    monkeypatch.setattr(bench, "measured", measured)
    assert bench.main(["stop"]) == 1
    said = capsys.readouterr()
    assert "| a thing | 12.0 ms | 15.0 ms | 10.0 ms |" in said.out
    assert "over the limit: a thing" in said.err
    assert bench.main(["stop", "--json"]) == 1
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert parts["stop"][0]["value"] == 12.0


def test_what_is_missing_is_said_and_only_a_named_part_needs_it(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench, measures = load("bench"), load("benchmarks.measures")

    def measured(name: str, _runs: int, _cache: Path) -> object:
        if name == "loop":
            raise measures.CannotMeasureError("Node.js")
        return measures.Part(name, (measures.Measure("a thing", 1.0, "ms", 10.0),))

    monkeypatch.setattr(bench, "measured", measured)
    assert bench.main([]) == 0
    assert bench.main(["loop"]) == 2
    assert "loop was not measured: this machine lacks Node.js" in capsys.readouterr().err


def test_without_npm_the_loop_says_so(
    load: Load, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    setup, measures = load("benchmarks.loop_setup"), load("benchmarks.measures")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(measures.CannotMeasureError, match="npm"):
        setup.mock_server(tmp_path)


def test_an_unknown_part_is_refused(load: Load, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        load("bench").main(["lop"])
    assert refused.value.code == 2
    assert "there is no part lop" in capsys.readouterr().err
