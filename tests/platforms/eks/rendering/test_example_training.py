"""The program of the example, with a stand-in for PyTorch in which four processes agree, or do not."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from trainyard.platforms.eks.rendering.programs import example_training

RANKS = 4


class Numbers:
    """A tensor whose numbers are all the same."""

    def __init__(self) -> None:
        """Begin with ones."""
        self.value = 1.0

    def __getitem__(self, _: int) -> SimpleNamespace:
        return SimpleNamespace(item=lambda: self.value)

    def fill_(self, value: float) -> None:
        """Set all numbers."""
        self.value = value


class Distributed:
    """What the program asks of torch.distributed. ``total`` is by what a reduction multiplies."""

    def __init__(self, total: int) -> None:
        """Keep what was begun and ended."""
        self.total = total
        self.said: list[str] = []

    def init_process_group(self, backend: str) -> None:
        """Begin."""
        self.said.append(backend)

    def all_reduce(self, numbers: Numbers) -> None:
        """Reduce."""
        numbers.value *= self.total

    def destroy_process_group(self) -> None:
        """End."""
        self.said.append("ended")

    def get_world_size(self) -> int:
        """Return how many processes there are."""
        return RANKS

    def get_rank(self) -> int:
        """Return which process this is."""
        return 0


def torch_with(monkeypatch: pytest.MonkeyPatch, total: int = RANKS) -> Distributed:
    distributed = Distributed(total)
    torch = SimpleNamespace(
        cuda=SimpleNamespace(is_available=lambda: False),
        device=lambda name: name,
        ones=lambda _, **_device: Numbers(),
        distributed=distributed,
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    return distributed


def test_processes_that_agree_say_how_fast_it_was(monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path):
    distributed = torch_with(monkeypatch)
    assert example_training.main(str(tmp_path / "example")) == 0
    assert distributed.said == ["gloo", "ended"]
    assert "4 processes agree; 1 GiB took " in capsys.readouterr().out
    assert (tmp_path / "example" / "rank-0.txt").is_file()


def test_a_wrong_sum_ends_it_with_an_error(monkeypatch: pytest.MonkeyPatch):
    torch_with(monkeypatch, total=3)
    with pytest.raises(SystemExit, match="the sum of ones over 4 processes is 3"):
        example_training.main()
