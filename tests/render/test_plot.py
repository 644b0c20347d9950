"""Axes with round numbers, and lines in their places."""

from __future__ import annotations

import pytest

from trainyard.bench.report.figures import gb_s, microseconds, size
from trainyard.render.plot import NARROW, WIDE, Plot, Shape, linear, logarithmic


@pytest.mark.parametrize("most", [0.03, 1, 7.5, 93, 490, 12345])
def test_an_even_axis_has_few_round_ticks_and_holds_its_values(most: float):
    axis = linear("y", most, str)
    ticks = axis.ticks()
    assert 4 <= len(ticks) <= 9
    assert ticks[0] == 0
    assert all(float(f"{tick:.6g}") == pytest.approx(tick) for tick in ticks)
    assert axis.at(0) == 0
    assert 0.9 < axis.at(most) < 1


@pytest.mark.parametrize(("least", "most"), [(8, 2**34), (1, 1024), (2**20, 2**21), (5, 5)])
def test_an_axis_by_powers_has_at_most_nine_ticks_within_it(least: int, most: int):
    axis = logarithmic("x", [least, most], 2, size)
    assert 1 <= len(axis.ticks()) <= 9
    assert all(0 <= axis.at(tick) <= 1 for tick in axis.ticks())


@pytest.mark.parametrize(("least", "most"), [(94, 210), (12, 150), (15.1, 18.9), (1.01, 9.9), (250, 251), (7, 7)])
def test_an_axis_by_powers_of_ten_has_ticks_within_a_decade_too(least: float, most: float):
    axis = logarithmic("time", [least, most], 10, microseconds)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 9
    assert all(axis.least <= tick <= axis.most for tick in ticks)


def test_a_narrow_axis_has_fewer_ticks():
    axis = logarithmic("x", [8, 2**34], 2, size)
    assert (len(axis.ticks()), len(axis.ticks(5))) == (8, 5)


def test_equal_factors_are_equal_ways_on_an_axis_by_powers():
    axis = logarithmic("x", [1, 16], 2, size)
    assert [axis.at(value) for value in (1, 2, 4, 8, 16)] == pytest.approx([0, 0.25, 0.5, 0.75, 1])


def test_what_lies_outside_is_drawn_at_the_edge():
    assert linear("y", 100, str).at(500) == 1
    assert logarithmic("x", [8, 16], 2, size).at(1) == 0


@pytest.mark.parametrize("shape", [WIDE, NARROW])
def test_everything_is_drawn_inside_the_picture_and_named_in_its_legend(shape: Shape):
    plot = Plot("title", "about", logarithmic("size", [8, 1024], 2, size), linear("GB/s", 100, gb_s), shape)
    plot.band([(8, 0), (1024, 50)], [(8, 10), (1024, 90)], "expected", "the band")
    plot.line([(8, 1), (1024, 80)], "run s0", "a run")
    plot.line([(64, 30)], "run s1", "a run of one size")
    svg = plot.done()
    for dot in svg.iter("circle"):
        assert 0 <= float(dot.get("cx", "")) <= shape.width
        assert 0 <= float(dot.get("cy", "")) <= shape.height + 60
    words = [one.text for one in svg.iter("text")]
    assert {"the band", "a run", "a run of one size", "8 B", "512 B"} <= set(words)
    assert svg.get("viewBox", "").startswith(f"0 0 {shape.width} ")


def test_a_name_stands_in_the_legend_once():
    plot = Plot("title", "about", logarithmic("size", [8, 1024], 2, size), linear("GB/s", 100, gb_s))
    for _ in range(3):
        plot.dot((8, 1), "reference r0", "p", "published")
    assert [one.text for one in plot.done().iter("text")].count("published") == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(8, "8 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (2**24, "16 MiB"), (2**34, "16 GiB"), (2**51, "2048 TiB")],
)
def test_sizes_are_written_in_their_largest_unit(value: int, text: str):
    assert size(value) == text


@pytest.mark.parametrize(("value", "text"), [(12.88, "12.9 µs"), (66132, "66.1 ms"), (2.5e6, "2.5 s")])
def test_times_are_written_short(value: float, text: str):
    assert microseconds(value) == text
