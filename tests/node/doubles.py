"""A clock that only moves when it is waited for, and programs that end as told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trainyard_node.processes import Ran, StepEnd

START = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


class FakeClock:
    """Time that passes in sleep only."""

    def __init__(self) -> None:
        """Begin at noon."""
        self.passed_s = 0.0
        self.pauses: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed_s)

    def seconds(self) -> float:
        return self.passed_s

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.passed_s += seconds


class FakeProcesses:
    """Remembers what is run. Steps end as they are told, one after another, the last one over and over."""

    def __init__(self, clock: FakeClock, *ends: StepEnd, step_s: float = 1.0) -> None:
        """Let each attempt of a step take some seconds."""
        self.commands: list[Sequence[str]] = []
        self.uploads: dict[str, list[str]] = {}
        self.limits: list[float] = []
        self.answers: dict[str, Ran] = {}
        self._clock, self._ends, self._step_s = clock, list(ends), step_s

    def run(self, command: Sequence[str], timeout_s: float, stdin: str = "") -> Ran:
        assert timeout_s < 60
        self.commands.append(command)
        answer = self.answers.get(command[0], Ran(0, ""))
        if command[0] == "aws":
            self._clock.passed_s += timeout_s if answer.status else 1.0
            self.uploads.setdefault(command[-1], []).append(stdin)
        return answer

    def run_step(self, script: Path, variables: Mapping[str, str], log: Path, timeout_s: float) -> StepEnd:
        del script, variables, log
        self.limits.append(timeout_s)
        self._clock.passed_s += self._step_s
        return self._ends.pop(0) if len(self._ends) > 1 else self._ends[0]
