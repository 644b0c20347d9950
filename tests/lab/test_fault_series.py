"""What the series of faults takes for too much of lost work."""

from __future__ import annotations

from tests.each_case import each_case
from tests.lab.fault_series import excess
from tests.lab.training_lab import restarts_of

MISSED = "stand-in: no checkpoint of step 30: [Errno 28] No space left on device"
CASES = {
    "an interval and a step": ((29, 19), "", "kill_ranks", True),
    "two intervals": ((29, 10), "", "kill_ranks", False),
    "the newest checkpoint is damaged": ((49, 30), "", "damage_checkpoint", True),
    # As it was seen: of checkpoints 20 and 40, with a full disk at 30, the newest was damaged at step 49.
    "and the one before it could not be written": ((49, 20), MISSED, "damage_checkpoint", True),
    "one that could not be written long before": ((69, 40), MISSED, "damage_checkpoint", False),
}


@each_case("restart, told, fault, is_fine", CASES.values(), ids=CASES)
def test_each_checkpoint_that_is_not_there_may_cost_an_interval(
    *, restart: tuple[int, int], told: str, fault: str, is_fine: bool
) -> None:
    assert (excess([restart], told, fault) == []) is is_fine


def test_a_restart_goes_on_with_a_step_that_was_done() -> None:
    assert restarts_of([{"step": number} for number in (3, 4, 5, 3, 4, 5, 6)]) == [(5, 3)]
