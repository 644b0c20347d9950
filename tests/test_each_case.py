from __future__ import annotations

import inspect

import pytest

from tests.each_case import each_case


def test_all_cases_that_fail_are_named_and_the_others_tried():
    tried = []

    @each_case(("number", "limit"), [(1, 2), pytest.param(3, 2, id="too large"), (2, 2), (4, 5)])
    def test(number: int, limit: int) -> None:
        tried.append(number)
        assert number < limit, f"{number} is too much"

    with pytest.raises(pytest.fail.Exception) as failed:
        test()
    assert tried == [1, 3, 2, 4]
    assert str(failed.value).splitlines()[0] == "2 of 4 cases:"
    assert "too large: AssertionError: 3 is too much" in str(failed.value)
    assert "2-2: AssertionError: 2 is too much" in str(failed.value)


def test_fixtures_and_other_cases_are_asked_for_as_before():
    @each_case("letter", "ab", ids=str.upper)
    @each_case("number", [1, 2])
    def test(letter: str, number: int, where: str) -> None:
        assert (letter, number, where) != ("b", 2, "here")

    assert list(inspect.signature(test).parameters) == ["where"]
    with pytest.raises(pytest.fail.Exception, match="1 of 2 cases"):
        test(where="here")


def test_a_case_with_a_mark_is_refused():
    with pytest.raises(ValueError, match="a test of its own"):
        each_case("number", [pytest.param(1, marks=pytest.mark.exhaustive)])
