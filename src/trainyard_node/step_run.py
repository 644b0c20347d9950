"""A step, run until it is done or there is no use in trying again. Its time limit holds for all attempts together."""

from __future__ import annotations

from pathlib import Path

from trainyard_node.clock import in_words
from trainyard_node.errors import LATER, UNREACHABLE
from trainyard_node.journal import Journal
from trainyard_node.machine import World
from trainyard_node.plan import Step
from trainyard_node.processes import StepEnd
from trainyard_node.record import StepRecord, one_line

ATTEMPTS = 5
FIRST_PAUSE_S = 5.0


class StepRunner:
    """Runs steps of a release."""

    def __init__(self, release: Path, world: World) -> None:
        """Begin nothing yet."""
        self._release = release
        self._places, self._clock, self._processes = world

    def run(self, step: Step, journal: Journal) -> StepRecord:
        """Run a step and write down what became of it."""
        record = self._begin(step, journal)
        began = self._clock.seconds()
        end = self._attempts(step, record, journal, began)
        record.seconds = round(self._clock.seconds() - began, 1)
        record.exit_status = end.status
        record.status = "done" if end.status == 0 else "failed"
        record.message = "" if end.status == 0 else one_line(self._why(step, end))
        journal.changed(record)
        if end.status != 0:
            journal.keep_log(self._log(step))
        return record

    def _begin(self, step: Step, journal: Journal) -> StepRecord:
        record = StepRecord(step.name, "running", step.required, step.deferred)
        record.started = in_words(self._clock.now())
        steps = journal.record.steps
        steps[:] = [step_record for step_record in steps if step_record.name != step.name]
        steps.append(record)
        journal.changed(record)
        return record

    def _attempts(self, step: Step, record: StepRecord, journal: Journal, began: float) -> StepEnd:
        pause_s = FIRST_PAUSE_S
        while True:
            record.attempts += 1
            left_s = step.timeout_s - (self._clock.seconds() - began)
            end = self._processes.run_step(self._release / step.script, self._variables(), self._log(step), left_s)
            left_s = step.timeout_s - (self._clock.seconds() - began)
            if not _can_help(step, end.status) or record.attempts == ATTEMPTS or left_s <= pause_s:
                return end
            journal.warn(f"{step.name}: {end.last_words}; again in {pause_s:g} s")
            self._clock.sleep(pause_s)
            pause_s *= 2

    def _variables(self) -> dict[str, str]:
        return {"TRAINYARD_SYSROOT": self._places.root} if self._places.root else {}

    def _log(self, step: Step) -> Path:
        return self._places.logs / step.log_name

    def _why(self, step: Step, end: StepEnd) -> str:
        if end.status is None:
            hint = f"the last it said is {end.last_words!r}" if end.last_words else "it said nothing"
            return f"it took longer than {step.timeout_s:g} s and was ended; {hint}, see {self._log(step)}"
        return end.last_words or f"it ended with status {end.status} and said nothing; see {self._log(step)}"


def _can_help(step: Step, status: int | None) -> bool:
    """Whether another attempt can end otherwise. A package lock is given back some time, by any step's neighbour."""
    return status == LATER or (status == UNREACHABLE and step.network)
