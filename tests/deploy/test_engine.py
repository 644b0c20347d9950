"""Steps, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from trainyard.deploy.engine import apply_all, undo_all
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError


@dataclass
class Recorded:
    """A step that writes down what it is asked to do."""

    name: str
    told: list[str] = field(default_factory=list)
    problem: str | None = None
    title: str = "something"

    def probe(self, work: Work) -> Probe:  # noqa: ARG002  the protocol of steps
        return Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        return self._done(work, "apply")

    def undo(self, work: Work) -> StepOutcome:
        return self._done(work, "undo")

    def _done(self, work: Work, action: str) -> StepOutcome:
        self.told.append(f"{action} {self.name} knowing {sorted(work.outputs)}")
        if self.problem:
            raise TrainyardError(self.problem)
        return StepOutcome(changed=True, detail=f"{self.name} done", outputs={self.name: "value"})


def test_each_step_knows_the_outputs_of_those_before_it(work):
    told: list[str] = []
    apply_all([Recorded("a", told), Recorded("b", told)], work)
    assert told == ["apply a knowing []", "apply b knowing ['a']"]


def test_the_last_one_is_undone_first(work):
    told: list[str] = []
    undo_all([Recorded("a", told), Recorded("b", told)], work)
    assert [line.split(" knowing")[0] for line in told] == ["undo b", "undo a"]


def test_after_the_first_that_fails_there_is_no_other(work):
    told: list[str] = []
    steps = [Recorded("a", told), Recorded("b", told, "no capacity"), Recorded("c", told)]
    results = apply_all(steps, work)
    assert [(result.name, result.status, result.detail) for result in results] == [
        ("a", "done", "a done"),
        ("b", "failed", "no capacity"),
    ]
    assert len(told) == 2


def test_every_step_is_told_of_when_it_begins_and_ends(work):
    events: list[tuple[str, str, str]] = []
    work.listener = lambda event: events.append((event.step, event.kind, event.text))
    apply_all([Recorded("a"), Recorded("b", problem="no capacity")], work)
    assert events == [
        ("a", "start", "something"),
        ("a", "done", "a done"),
        ("b", "start", "something"),
        ("b", "failed", "no capacity"),
    ]


def test_a_defect_is_no_failed_step(work):
    class Broken(Recorded):
        def apply(self, work: Work) -> StepOutcome:  # noqa: ARG002  as above
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        apply_all([Broken("a")], work)
