"""Many small cases of one sentence as one test, which tries all of them and names each that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each_case(
    names: str | tuple[str, ...] | list[str],
    cases: Iterable[Any],
    ids: Collection[str] | Callable[[Any], object] | None = None,
) -> Callable[[Test], Test]:
    """Do what pytest.mark.parametrize does, with its arguments, in one test. Not for tests with fixtures of a test."""
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    named = _named(list(cases), len(arguments), ids)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def all_cases(**fixtures: Any) -> None:
            failures = []
            for name, values in named:
                try:
                    test(**dict(zip(arguments, values, strict=True)), **fixtures)
                except Exception as error:  # noqa: BLE001 - whatever it is, the other cases are tried
                    failures.append(f"{name}: {type(error).__name__}: {error}")
            if failures:
                pytest.fail(f"{len(failures)} of {len(named)} cases:\n" + "\n".join(failures), pytrace=False)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        vars(all_cases)["__signature__"] = signature.replace(parameters=kept)
        return all_cases

    return decorate


def _named(
    cases: list[Any], width: int, ids: Collection[str] | Callable[[Any], object] | None
) -> list[tuple[str, tuple[Any, ...]]]:
    values = [_values(case, width) for case in cases]
    if callable(ids):
        names = ["-".join(str(ids(value)) for value in row) for row in values]
    elif ids is not None:
        names = [str(name) for name in ids]
    else:
        names = ["-".join(map(str, row)) for row in values]
    own = [getattr(case, "id", None) if _is_param(case) else None for case in cases]
    return [(mine or name, row) for mine, name, row in zip(own, names, values, strict=True)]


def _is_param(case: object) -> bool:
    return type(case).__name__ == "ParameterSet"


def _values(case: Any, width: int) -> tuple[Any, ...]:
    if _is_param(case):
        if case.marks:
            raise ValueError(f"a case with a mark is a test of its own: {case}")
        return tuple(case.values)
    return (case,) if width == 1 else tuple(case)
