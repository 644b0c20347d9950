"""How the value of a series goes through time: pieces, each of which has a level and a rate."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

_NOISE_LENGTH = 4096
_NOISE_STEP_S = 10


class Piece(NamedTuple):
    """What holds from a moment on."""

    from_s: float
    level: float | None
    """None: the series is not there."""
    rate_per_s: float = 0.0
    added: float = 0.0
    """By how much a counter jumps at the beginning."""


class Curve(NamedTuple):
    """A value at any time. Before its first piece, a series is not there."""

    pieces: tuple[Piece, ...]
    wave: float = 0.0
    """How far it goes up and down, where its level is not zero."""
    digits: int | None = None
    """None: whole numbers."""
    phase: int = 0
    """What tells alike curves apart."""

    def at(self, times: Iterable[float]) -> list[float | None]:
        """Return the values at ascending times, in seconds since 1970."""
        grown, found = self._grown(), list[float | None]()
        index = -1
        for at_s in times:
            while index + 1 < len(self.pieces) and self.pieces[index + 1].from_s <= at_s:
                index += 1
            found.append(self._value(at_s, self.pieces[index], grown[index]) if index >= 0 else None)
        return found

    def _grown(self) -> list[float]:
        """Return what a counter has grown by when each piece begins."""
        grown = [self.pieces[0].added]
        for before, piece in zip(self.pieces, self.pieces[1:], strict=False):
            grown.append(grown[-1] + before.rate_per_s * (piece.from_s - before.from_s) + piece.added)
        return grown

    def _value(self, at_s: float, piece: Piece, grown: float) -> float | None:
        if piece.level is None:
            return None
        noise = self.wave * noise_at(self.phase, at_s) if self.wave and piece.level else 0.0
        value = piece.level + noise + grown + piece.rate_per_s * (at_s - piece.from_s)
        return round(value) if self.digits is None else round(value, self.digits)


def noise_at(phase: int, at_s: float) -> float:
    """Return a number between -1 and 1, seldom near either."""
    return _noise()[(phase * 7919 + int(at_s) // _NOISE_STEP_S) % _NOISE_LENGTH]


@cache
def _noise() -> Sequence[float]:
    drawn = random.Random("noise of simulated nodes")  # noqa: S311  no secret
    return [max(-1.0, min(1.0, drawn.gauss(0, 0.4))) for _ in range(_NOISE_LENGTH)]


def constant(value: float, digits: int | None = None) -> Curve:
    """Return a curve that never changes, from 1970 on."""
    return Curve((Piece(0.0, value),), digits=digits)
