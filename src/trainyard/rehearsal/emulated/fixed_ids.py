"""Lets moto make a thing under an id that is given, instead of one that it makes up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def given_id(owner: Any, maker: str, name: str) -> Iterator[None]:
    """Let the function of moto's that makes up ids return this one for as long as the block runs."""
    former = getattr(owner, maker)
    setattr(owner, maker, lambda *_, **__: name)
    try:
        yield
    finally:
        setattr(owner, maker, former)
