"""The island is always whole, on a screen that exists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.ui.island.placement import (
    COMPACT_HEIGHT,
    EXPANDED_MOST,
    STRIP_HEIGHT,
    TOP_GAP,
    WIDTH,
    Area,
    IslandMode,
    Remembered,
    Screen,
    place,
    remember_drop,
    slide,
)

coordinates = st.integers(-20_000, 20_000)
areas = st.builds(Area, coordinates, coordinates, st.integers(1, 8_000), st.integers(1, 5_000))
screens = st.builds(Screen, st.sampled_from(["A", "B", "C"]), areas, st.booleans())
memories = st.builds(
    Remembered, st.sampled_from(["", "A", "B", "gone"]), st.floats(-3, 3, allow_nan=False)
)
modes = st.sampled_from(IslandMode)

LAPTOP = Screen("laptop", Area(0, 30, 1920, 1050), is_primary=True)
LEFT = Screen("left", Area(-1280, 0, 1280, 1024))


@pytest.mark.spec("ISL-1")
@given(st.lists(screens, min_size=1, max_size=4), memories, modes, st.integers(-100, 20_000))
def test_the_island_is_wholly_inside_the_work_area_of_a_screen_that_exists(
    all_screens: list[Screen], memory: Remembered, mode: IslandMode, height: int
) -> None:
    placement = place(all_screens, memory, mode, height)

    assert placement is not None
    assert placement.area.width > 0
    assert placement.area.height > 0
    assert any(
        screen.name == placement.screen and screen.work.contains(placement.area)
        for screen in all_screens
    )


@pytest.mark.spec("ISL-1")
def test_it_is_368_wide_and_centred_at_the_top_of_a_usual_screen() -> None:
    placement = place([LAPTOP], Remembered(), IslandMode.COMPACT)

    assert placement is not None
    assert placement.area == Area((1920 - WIDTH) // 2, 30 + TOP_GAP, 368, COMPACT_HEIGHT)


@pytest.mark.spec("ISL-1")
def test_the_wake_strip_is_14_high_and_touches_the_top_edge() -> None:
    placement = place([LAPTOP], Remembered(), IslandMode.STRIP, 400)

    assert placement is not None
    assert placement.area.y == LAPTOP.work.y
    assert placement.area.height == STRIP_HEIGHT == 14


@pytest.mark.spec("ISL-1")
def test_a_screen_that_vanishes_is_replaced_and_taken_again_when_it_returns() -> None:
    memory = Remembered("left", 0.25)

    with_both = place([LAPTOP, LEFT], memory, IslandMode.COMPACT)
    alone = place([LAPTOP], memory, IslandMode.COMPACT)
    again = place([LAPTOP, LEFT], memory, IslandMode.COMPACT)

    assert with_both is not None
    assert with_both.screen == "left"
    assert alone is not None
    assert alone.screen == "laptop"
    assert again == with_both


@pytest.mark.spec("ISL-1")
def test_the_place_keeps_its_share_of_the_width_when_the_scale_changes() -> None:
    memory = Remembered("laptop", 0.75)
    half = Screen("laptop", Area(0, 15, 960, 525), is_primary=True)

    before = place([LAPTOP], memory, IslandMode.PETIT)
    after = place([half], memory, IslandMode.PETIT)

    assert before is not None
    assert after is not None
    assert before.area.centre_x == pytest.approx(1440, abs=1)
    assert after.area.centre_x == pytest.approx(720, abs=1)


def test_an_expanded_island_grows_with_its_content_up_to_the_screen() -> None:
    low = Screen("low", Area(0, 0, 800, 300), is_primary=True)

    wanted = place([LAPTOP], Remembered(), IslandMode.EXPANDED, 340)
    too_high = place([low], Remembered(), IslandMode.EXPANDED, 900)

    assert wanted is not None
    assert wanted.area.height == 340
    assert too_high is not None
    assert too_high.area.bottom <= 300


def test_without_a_screen_there_is_no_place() -> None:
    assert place([], Remembered(), IslandMode.COMPACT) is None
    assert remember_drop([], 0, 0) is None


@given(st.lists(screens, min_size=1, max_size=4), coordinates, coordinates)
def test_wherever_it_is_dropped_a_screen_and_a_share_are_remembered(
    all_screens: list[Screen], x: int, y: int
) -> None:
    memory = remember_drop(all_screens, x, y)

    assert memory is not None
    assert memory.screen in {screen.name for screen in all_screens}
    assert 0.0 <= memory.centre <= 1.0


def test_a_drop_on_the_second_screen_is_found_there_again() -> None:
    memory = remember_drop([LAPTOP, LEFT], -640, 10)

    assert memory == Remembered("left", 0.5)


@given(areas, areas, st.floats(0, 1))
def test_a_slide_starts_where_it_was_ends_where_it_goes_and_stays_between(
    start: Area, end: Area, share: float
) -> None:
    frame = slide(start, end, share)

    assert slide(start, end, 1.0) == end
    assert slide(start, end, 0.0).y == start.y
    assert min(start.y, end.y) <= frame.y <= max(start.y, end.y)
    assert min(start.height, end.height) <= frame.height <= max(start.height, end.height)


@pytest.mark.spec("UI-3")
def test_larger_text_may_have_a_higher_island_within_the_screen() -> None:
    usual = place([LAPTOP], Remembered(), IslandMode.EXPANDED, 2000)
    large = place([LAPTOP], Remembered(), IslandMode.EXPANDED, 2000, most=780)
    huge = place([LAPTOP], Remembered(), IslandMode.EXPANDED, 2000, most=5000)

    assert usual is not None
    assert large is not None
    assert huge is not None
    assert (usual.area.height, large.area.height) == (EXPANDED_MOST, 780)
    assert LAPTOP.work.contains(huge.area)
