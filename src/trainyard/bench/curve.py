"""How long a collective takes by its size: a latency, a share that grows slower than the size, and the bandwidth.

t(S) = a + k·S^q + S/b. The first and the last are Hockney's model; alone they are wrong by half between 1 MiB and
1 GiB, where NCCL changes protocols and fills its channels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_EXPONENTS = tuple(step / 20 for step in range(4, 18))


class Curve(NamedTuple):
    """The three shares, and how far the points lie from it that it was fitted to."""

    latency_us: float
    slow_us: float
    """Of one byte, before the exponent."""
    exponent: float
    us_a_byte: float
    spread: float
    """Root mean square of the relative deviations."""

    def time_us(self, size_bytes: float) -> float:
        """Return how long so many bytes take."""
        slow: float = self.slow_us * size_bytes**self.exponent
        return self.latency_us + slow + self.us_a_byte * size_bytes


def fit(points: Mapping[int, float]) -> Curve:
    """Return the curve through times in µs by size in bytes, at least four, with the least relative squares.

    Raises ValueError where there are fewer.
    """
    if len(points) < 4:
        raise ValueError("a curve needs four points")
    return min((_fit(points, exponent) for exponent in _EXPONENTS), key=lambda curve: curve.spread)


def _fit(points: Mapping[int, float], exponent: float) -> Curve:
    """Return the best curve with this exponent. A share that would be negative is left out."""
    used = [0, 1, 2]
    while True:
        coefficients = _least_squares(points, exponent, used)
        negative = [index for index, value in zip(used, coefficients, strict=True) if value < 0]
        if not negative:
            break
        used.remove(negative[0])
    shares = dict(zip(used, coefficients, strict=True))
    curve = Curve(shares.get(0, 0.0), shares.get(1, 0.0), exponent, shares.get(2, 0.0), 0.0)
    squares = [(curve.time_us(size) / time - 1) ** 2 for size, time in points.items()]
    return curve._replace(spread=(sum(squares) / len(squares)) ** 0.5)


def _least_squares(points: Mapping[int, float], exponent: float, used: Sequence[int]) -> list[float]:
    """Solve the normal equations of relative deviations for the shares that are used."""
    rows = []
    for size, time in points.items():
        basis = (1.0, float(size) ** exponent, float(size))
        rows.append([basis[index] / time for index in used])
    matrix = [[sum(row[i] * row[j] for row in rows) for j in range(len(used))] for i in range(len(used))]
    return _solve(matrix, [sum(row[i] for row in rows) for i in range(len(used))])


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve by Gauss' elimination. The matrix is positive, so no pivot is needed; its columns are scaled first."""
    count = len(right)
    scale = [matrix[i][i] ** 0.5 for i in range(count)]
    work = [[matrix[i][j] / scale[i] / scale[j] for j in range(count)] + [right[i] / scale[i]] for i in range(count)]
    for i in range(count):
        for below in range(i + 1, count):
            share = work[below][i] / work[i][i]
            work[below] = [value - share * other for value, other in zip(work[below], work[i], strict=True)]
    values = [0.0] * count
    for i in reversed(range(count)):
        values[i] = (work[i][count] - sum(work[i][j] * values[j] for j in range(i + 1, count))) / work[i][i]
    return [value / scale[i] for i, value in enumerate(values)]
