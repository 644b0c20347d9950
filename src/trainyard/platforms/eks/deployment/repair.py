"""Repairs of what differs from cluster.yaml, and a comparison after them: until nothing differs, or nothing helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from trainyard.deploy.work import Work
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.comparison import Difference, Part
from trainyard.platforms.eks.deployment.stacks import why_it_failed

Repair = Callable[[Sequence[Difference]], str]
"""Takes the differences of one part, and returns what was done about them, in a few words."""
# What eksctl stumbles over, such as an answer that was lost, is over when it is asked again.
_ROUNDS = 3
_MOST_SHOWN = 5


def repair_differences(
    work: Work, compare: Callable[[], Sequence[Difference]], repairs: Mapping[Part, Repair]
) -> list[str]:
    """Repair what differs, part by part in the order of ``repairs``, and return what was done.

    Raises TrainyardError with the reason of a stack that failed, with what eksctl said time and again, or with what
    differs although everything was done about it.
    """
    done: list[str] = []
    refusal: EksctlRefusedError | None = None
    for _ in range(_ROUNDS):
        differences = compare()
        if not differences:
            return done
        refusal = _refusal(work, differences, repairs, done)
    left = compare()
    if not left:
        return done
    if refusal is not None:
        raise refusal
    shown = "; ".join(difference.text for difference in left[:_MOST_SHOWN])
    more = f" and {len(left) - _MOST_SHOWN} more" if len(left) > _MOST_SHOWN else ""
    raise TrainyardError(
        f"cluster {work.name} is not as its cluster.yaml says: {shown}{more}",
        where=work.name,
        hint="see in the console who else changes it, then run the command again",
    )


def _refusal(
    work: Work, differences: Sequence[Difference], repairs: Mapping[Part, Repair], done: list[str]
) -> EksctlRefusedError | None:
    """Repair once; return what eksctl said where it would not and no stack has failed."""
    for part, repair in repairs.items():
        of_part = [difference for difference in differences if difference.part == part]
        if not of_part:
            continue
        try:
            done.append(repair(of_part))
        except EksctlRefusedError as error:
            reason = why_it_failed(work, error)
            if reason is not error:
                raise reason from error
            work.tell(f"{error.problem}; looks again at what is missing")
            return error
    return None
