"""Records whose values are given by name hold what a frozen dataclass would."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trainyard.keyword_record import KeywordRecord


class Engine(KeywordRecord):
    name: str
    wheels: int = 6
    horn: Callable[[str], str] = str.upper


class Shunter(Engine):
    yard: str
    wheels: int


def test_values_and_defaults_are_attributes() -> None:
    engine = Engine(name="Mallard")
    assert (engine.name, engine.wheels, engine.horn("toot")) == ("Mallard", 6, "TOOT")


def test_a_class_of_its_own_has_the_names_of_both() -> None:
    shunter = Shunter(name="08", yard="east", wheels=8)
    assert (shunter.yard, shunter.wheels, shunter.horn("toot")) == ("east", 8, "TOOT")


def test_another_value_leaves_the_record_as_it_was() -> None:
    engine = Engine(name="Mallard")
    assert engine.with_values(wheels=12).wheels == 12
    assert engine.wheels == 6


@pytest.mark.parametrize("values", [{}, {"name": "08"}, {"name": "08", "wheels": 8, "yard": "east", "colour": "green"}])
def test_values_that_lack_or_are_unknown_are_named(values: dict[str, object]) -> None:
    missing = {"name", "wheels", "yard"} ^ values.keys()
    with pytest.raises(TypeError, match=", ".join(sorted(missing))):
        Shunter(**values)  # type: ignore[arg-type]
