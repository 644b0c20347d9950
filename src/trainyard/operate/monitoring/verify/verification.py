"""Makes every check that can be made, once or until all is good."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from trainyard.edge.aws.account import Clock
from trainyard.errors import TrainyardError
from trainyard.finding import SEVERITIES, Finding
from trainyard.operate.monitoring.verify.arrival import arrival
from trainyard.operate.monitoring.verify.checks import CHECKS, Check
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation

# As often as exporters are scraped and discovery looks; each look is some dozens of questions.
_PAUSE_S = 30.0


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of it."""

    name: str
    region: str
    mode: str
    keeper: str
    """The address of whoever keeps the metrics."""
    findings: tuple[Finding, ...]
    looked_at: Mapping[str, int]
    """How many of what, such as targets, metrics and panels."""

    @property
    def good(self) -> bool:
        """Return whether nothing of severity error was found."""
        return not any(one.severity == "error" for one in self.findings)


def verify(situation: Situation, tell: Callable[[str], None]) -> Verified:
    """Return what is wrong, the worst first. ``tell`` hears what is being looked at."""
    findings: list[Finding] = []
    can = {"account"} if situation.account is not None else set()
    can |= _answers(situation, findings, tell)
    for check in CHECKS:
        if check.needs in can:
            tell(check.title)
            findings += _checked(situation, check)
    spec = situation.spec
    worst_first = tuple(sorted(findings, key=lambda one: SEVERITIES.index(one.severity)))
    looked_at = {what: count for what, count in situation.looked_at.items() if count}
    return Verified(spec.name, spec.region, spec.monitoring.mode, situation.keeper.url, worst_first, looked_at)


def verify_until_good(
    situation: Callable[[], Situation], clock: Clock, wait_s: float, tell: Callable[[str], None]
) -> Verified:
    """Verify anew, every half minute, until all is good or the time is over; then return how it was last."""
    ends = clock.now() + wait_s
    while True:
        verified = verify(situation(), tell)
        left = ends - clock.now()
        if verified.good or left <= 0:
            return verified
        tell(f"{verified.findings[0].message}; trying again for {left / 60:.0f} min")
        clock.sleep(min(_PAUSE_S, left))


def _answers(situation: Situation, found: list[Finding], tell: Callable[[str], None]) -> set[str]:
    """Return whether the keeper answers, and whether samples arrive at it; add what keeps it from that."""
    tell(f"samples at {situation.keeper.url}")
    try:
        situation.keeper.expect_ready()
        gaps = list(arrival(situation))
    except TrainyardError as error:
        found.append(finding("keeper-unreachable", error.problem, error.hint))
        return set()
    found += gaps
    return {"keeper"} if any(gap.id == "no-recent-samples" for gap in gaps) else {"keeper", "samples"}


def _checked(situation: Situation, check: Check) -> Iterator[Finding]:
    """Yield what a check finds. One that may not ask, or gets no answer, does not keep the others from theirs."""
    try:
        yield from check.find(situation)
    except TrainyardError as error:
        yield finding("not-verified", f"{check.title}: {error.problem}", error.hint)
